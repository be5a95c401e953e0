-- Reads the unfinished runs of many jobs, one for each key, as they are. An error
-- stands where the key of a job can't be read.

local found = {digits(now)}
for _, key in ipairs(KEYS) do
    local fields = redis.pcall('HGETALL', key)
    table.insert(found, fields.err or fields)
end
return found
