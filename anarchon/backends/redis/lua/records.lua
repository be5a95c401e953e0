-- The history of one job: a record of each attempt, and the order to read them in.
--
-- RECORDS has each record under its slot and token, and under 'last:' and a slot the
-- name of that slot's newest record; manual ones apart. ORDER sorts the names by start,
-- and by attempt where that is the same.

local RECORDS, ORDER = KEYS[1], KEYS[2]

local RECORD = {slot = 'number', token = 'string', instance_id = 'string', started = 'number'}

local function record_name(slot, token)
    return digits(slot) .. ':' .. token
end

local function record_named(name)
    local text = redis.call('HGET', RECORDS, name)
    return text and decoded(RECORDS, name, text, RECORD)
end

local function last_record(slot)
    local name = redis.call('HGET', RECORDS, 'last:' .. digits(slot))
    return name and record_named(name)
end

local function write_record(name, record)
    redis.call('HSET', RECORDS, name, cjson.encode(record))
end

local function add_to_order(name, started, attempt)
    redis.call('ZADD', ORDER, digits(started), string.format('%06d:%s', attempt, name))
end

local function open_record(attempt)
    local name = record_name(asked.slot, asked.token)
    add_to_order(name, now, attempt)
    redis.call('HSET', RECORDS, 'last:' .. digits(asked.slot), name)
    write_record(name, {
        slot = asked.slot,
        attempt = attempt,
        token = asked.token,
        reason = asked.mode,
        instance_id = asked.instance_id,
        started = now,
        status = 'running',
    })
end

local function end_record(name, record)
    record.ended = now
    record.status = asked.status
    record.duration = asked.duration
    record.error = asked.error
    write_record(name, record)
end

local function ended_as_asked(record)
    return record.status == asked.status
        and record.duration == asked.duration
        and record.error == asked.error
end

-- a record that has ended stays
local function interrupt_record(slot, token, handed_over)
    local name = record_name(slot, token)
    local record = record_named(name)
    if record and not record.ended then
        record.ended = now
        record.status = 'interrupted'
        record.handed_over = handed_over
        write_record(name, record)
    end
    return record or nil
end

local function forget_record(place, name)
    redis.call('ZREM', ORDER, place)
    redis.call('HDEL', RECORDS, name)
    local slot = string.match(name, '^(-?%d+):')
    if slot and redis.call('HGET', RECORDS, 'last:' .. slot) == name then
        redis.call('HDEL', RECORDS, 'last:' .. slot)
    end
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
        if may_go(name) then forget_record(place, name) end
    end
end

-- Drops what ended before the time that a record is protected for. Whoever is unsure
-- whether an attempt is over says so by is_over.
local function trim_after_grant(is_over)
    local young = now - asked.keep_for
    trim_records('(' .. digits(young), 100, function(name)
        local ok, record = pcall(record_named, name)
        return not ok or not record or is_over(record, young)
    end)
end
