-- Claims by a stream entry whose ID is the slot: a stream takes none that isn't newer
-- than all that it ever had, however few of them it still holds.

local SLOTS = KEYS[3]
local HELD = 100

local function newest_slot()
    local info = redis.pcall('XINFO', 'STREAM', SLOTS)
    for i = 1, #info, 2 do
        if info[i] == 'last-generated-id' then
            return tonumber(string.match(info[i + 1], '^%d+'))
        end
    end
end

local function taken()
    local newest = newest_slot()
    if newest and asked.slot <= newest then return done(newest) end
end

local function take()
    redis.call(
        'XADD', SLOTS, 'MAXLEN', '~', HELD, digits(asked.slot) .. '-1',
        'token', asked.token, 'instance', asked.instance_id
    )
end
