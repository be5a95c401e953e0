-- The history of one job: a record of each attempt, and the order to read them in.
--
-- RECORDS has the newest attempt of a run under its slot, older ones under slot and
-- attempt, and manual runs under 'manual', slot and token. ORDER sorts these names by
-- start, and by attempt where that is the same.

local RECORDS, ORDER = KEYS[1], KEYS[2]

local RECORD = {
    slot = 'number',
    attempt = 'number',
    token = 'string',
    instance_id = 'string',
    started = 'number',
}

local function record_named(name)
    local text = redis.call('HGET', RECORDS, name)
    return text and decoded(RECORDS, name, text, RECORD)
end

local function last_record(slot)
    return record_named(digits(slot))
end

local function write_record(name, record)
    redis.call('HSET', RECORDS, name, cjson.encode(record))
end

local function place_of(name, record)
    return string.format('%06d:%s', record.attempt, name)
end

local function add_record(name, record)
    redis.call('ZADD', ORDER, digits(record.started), place_of(name, record))
    write_record(name, record)
end

local function open_record(attempt)
    add_record(digits(asked.slot), {
        slot = asked.slot,
        attempt = attempt,
        token = asked.token,
        reason = asked.mode,
        instance_id = asked.instance_id,
        started = now,
        status = 'running',
    })
end

local function end_record(record)
    record.ended = now
    record.status = asked.status
    record.duration = asked.duration
    record.error = asked.error
    write_record(digits(record.slot), record)
end

local function ended_as_asked(record)
    return record.token == asked.token
        and record.status == asked.status
        and record.duration == asked.duration
        and record.error == asked.error
end

-- a record that has ended stays
local function interrupt_record(slot, handed_over)
    local record = last_record(slot)
    if record and not record.ended then
        record.ended = now
        record.status = 'interrupted'
        record.handed_over = handed_over
        write_record(digits(slot), record)
    end
    return record or nil
end

-- makes room for the record of the next attempt
local function set_aside(record)
    local name = digits(record.slot)
    redis.call('ZREM', ORDER, place_of(name, record))
    add_record(name .. ':' .. record.attempt, record)
end

-- Of all that is older than the newest asked.keep, drops what started before that
-- instant and may go; at most so many in one step.
local function trim_records(before, most, may_go)
    local surplus = redis.call('ZCARD', ORDER) - asked.keep
    if surplus <= 0 then return end
    local places = redis.call(
        'ZRANGEBYSCORE', ORDER, '-inf', before, 'LIMIT', 0, math.min(surplus, most)
    )
    for _, place in ipairs(places) do
        local name = string.match(place, '^%d+:(.*)$') or place
        if may_go(name) then
            redis.call('ZREM', ORDER, place)
            redis.call('HDEL', RECORDS, name)
        end
    end
end

-- Drops what ended before the time that a record is protected for; is_over tells. What
-- makes no sense goes as well, since there is no failing any more: much is written.
local function trim_after_grant(is_over)
    local young = now - asked.keep_for
    local function may_go(name)
        local record = record_named(name)
        return not record or is_over(record, young)
    end
    trim_records('(' .. digits(young), 100, function(name)
        local ok, old = pcall(may_go, name)
        return not ok or old
    end)
end
