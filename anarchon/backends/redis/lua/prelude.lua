-- What every script starts with: its argument by name, the clock, its reply.
--
-- Argument and reply are JSON objects; what isn't known is left out of them. Slots,
-- instants and lengths are milliseconds. Nothing is undone when a script fails, so all
-- that can be found wrong is found before the first write. All functions are made anew
-- by each call, which is a good part of its time: a script has only those that it uses.

local asked = cjson.decode(ARGV[1])
local now = asked.now
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function reply(fields)
    fields.now = now
    return cjson.encode(fields)
end

-- tostring would round a number of this size
local function digits(number)
    return string.format('%.0f', number)
end
