-- Claims by a key for each slot, which its server forgets asked.memory after the slot.

local TAKEN = KEYS[3]

local function taken()
    local owner = redis.call('GET', TAKEN)
    return owner and running(1, 0, string.match(owner, ' (.*)$') or owner)
end

local function take()
    local owner = asked.token .. ' ' .. asked.instance_id
    local forget_in = asked.slot + asked.memory - now
    redis.call('SET', TAKEN, owner, 'NX', 'PX', digits(forget_in))
end
