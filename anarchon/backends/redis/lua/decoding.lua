-- Reads stored JSON objects, which anybody may have written.

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
