-- Reads the newest asked.limit records, newest first, as they are. A lease store reads
-- what hasn't ended from its runs.

local RUNS = KEYS[3]
local AT_ONCE = 1000

local places = {}
if asked.limit > 0 then
    places = redis.call('ZREVRANGE', ORDER, 0, asked.limit - 1)
end
local records = {}
for first = 1, #places, AT_ONCE do
    local names = {}
    for i = first, math.min(first + AT_ONCE - 1, #places) do
        table.insert(names, name_at(places[i]))
    end
    for i, record in ipairs(redis.call('HMGET', RECORDS, unpack(names))) do
        record = record or RUNS and redis.call('HGET', RUNS, names[i])
        if record then table.insert(records, record) end
    end
end
return records
