-- Answers a claim on a claim-only store, where each slot is granted once (L1 to L4).
--
-- What came before decides how: taken() answers for a slot that can't be had, and take()
-- takes one, or answers for one that was had after all.

local ORPHAN = 24 * 3600 * 1000

local function known(record)
    if not record then return end
    if record.token == asked.token and not record.ended then return won(1, 0) end
    return running(1, 0, record.instance_id)
end

-- nobody tells of a runner that is gone
local function may_go(name)
    local record = redis.call('HGET', RECORDS, name) or ''
    local ended = string.match(record, '"ended":(%d+)')
    local started = string.match(record, '"started":(%d+)') or 0
    return tonumber(ended or started + ORPHAN) < now - asked.keep_for
end

local function grant()
    local name = digits(asked.slot)
    local record = {
        slot = asked.slot,
        attempt = 1,
        token = asked.token,
        reason = asked.mode,
        instance_id = asked.instance_id,
        started = now,
        status = 'running',
    }
    add_place(name, record)
    write_record(name, record)
    trim_records('(' .. digits(now - asked.keep_for), 100, may_go)
    return won(1, 0)
end

return known(last_record(asked.slot))
    or taken()
    or untimely(math.min(asked.limit, asked.memory and asked.memory / 2 or math.huge))
    or take()
    or grant()
