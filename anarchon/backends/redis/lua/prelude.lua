-- What every script starts with: its argument by name, the clock, its reply.
--
-- Argument and reply are JSON objects; what isn't known is left out of them. Slots,
-- instants and lengths are milliseconds. Nothing is undone when a script fails, so all
-- that can be found wrong is found before the first write.

local asked = cjson.decode(ARGV[1])

local function server_clock()
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

local now = asked.now or server_clock()

local function reply(fields)
    fields.now = now
    return cjson.encode(fields)
end

-- tostring would round a number of this size
local function digits(number)
    return string.format('%.0f', number)
end

local function unreadable(key, problem)
    error('UNREADABLE ' .. key .. ' ' .. problem .. '\n', 0)
end

local function decoded(key, field, text, shape)
    local ok, value = pcall(cjson.decode, text)
    if not ok or type(value) ~= 'table' then
        unreadable(key, 'field ' .. field .. ' is no JSON object')
    end
    for name, kind in pairs(shape) do
        if type(value[name]) ~= kind then
            unreadable(key, 'field ' .. field .. ' has no ' .. kind .. ' ' .. name)
        end
    end
    return value
end
