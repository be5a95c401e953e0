-- Claims by a stream entry with the slot as its idempotency ID: a second one with the
-- same ID isn't added.
--
-- A stream remembers so many IDs for so long, and forgets all when these limits change.
-- It holds far fewer entries than it remembers; slots up to the newest one that it
-- doesn't hold any more, kept in RECORDS under 'floor', are refused.

local SLOTS = KEYS[3]
local PRODUCER = 'anarchon'
local SECONDS, IDS = 86400, 10000
local HELD = 1000

local function floor()
    return tonumber(redis.call('HGET', RECORDS, 'floor') or nil)
end

local function raise_floor(slot)
    if slot and slot > (floor() or -math.huge) then
        redis.call('HSET', RECORDS, 'floor', digits(slot))
    end
end

local function slot_of(entry)
    return tonumber(entry[2][2])
end

local function limits()
    local info, found = redis.pcall('XINFO', 'STREAM', SLOTS), {}
    for i = 1, #info, 2 do
        found[info[i]] = info[i + 1]
    end
    return found
end

-- before the first ID, which a change of the limits would forget
local function set_limits()
    local found = limits()
    if found['idmp-duration'] == SECONDS and found['idmp-maxsize'] == IDS then return end
    local newest
    for _, entry in ipairs(redis.call('XRANGE', SLOTS, '-', '+')) do
        newest = math.max(newest or -math.huge, slot_of(entry) or -math.huge)
    end
    raise_floor(newest)
    local first = redis.call('XADD', SLOTS, '*', 'slot', 'none')
    redis.call('XCFGSET', SLOTS, 'IDMP-DURATION', SECONDS, 'IDMP-MAXSIZE', IDS)
    redis.call('XDEL', SLOTS, first)
end

local function taken()
    set_limits()
    local lowest = floor()
    if lowest and asked.slot <= lowest then return done(nil) end
end

local function drop_oldest()
    for _, entry in ipairs(redis.call('XRANGE', SLOTS, '-', '+', 'COUNT', 1)) do
        raise_floor(slot_of(entry))
        redis.call('XDEL', SLOTS, entry[1])
    end
end

local function take()
    local held = redis.call('XLEN', SLOTS)
    local id = redis.call(
        'XADD', SLOTS, 'IDMP', PRODUCER, digits(asked.slot), '*',
        'slot', digits(asked.slot), 'token', asked.token, 'instance', asked.instance_id
    )
    if redis.call('XLEN', SLOTS) == held then
        local entry = redis.call('XRANGE', SLOTS, id, id)[1]
        return running(1, 0, entry and entry[2][6] or '')
    end
    if held >= HELD then drop_oldest() end
end
