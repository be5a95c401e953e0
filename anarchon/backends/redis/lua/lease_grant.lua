-- Grants an attempt on a lease store.

local newest, runs = nil, {}

local function unfinished(slot)
    for _, run in ipairs(runs) do
        if run.slot == slot then return run end
    end
end

-- decoding the record would take far longer; one that was lost is no loss
local function may_go(name)
    local slot = tonumber(string.match(name, '^%d+') or nil)
    if unfinished(slot) then return false end
    local record = redis.call('HGET', RECORDS, name) or ''
    local ended = string.match(record, '"ended":(%d+)') or 0
    return tonumber(ended) < now - asked.keep_for
end

local function grant(attempt, freed)
    local run = {
        slot = asked.slot,
        attempt = attempt,
        token = asked.token,
        reason = asked.mode,
        instance_id = asked.instance_id,
        started = now,
        status = 'running',
        ends = now + asked.lease,
        lease = asked.lease,
        spent = false,
        freed = freed,
    }
    local name = digits(run.slot)
    table.insert(runs, run)
    add_place(name, run)
    trim_records('(' .. digits(now - asked.keep_for), 100, may_go)
    newest = math.max(newest or run.slot, run.slot)
    redis.call('HSET', RUNS, name, cjson.encode(run), 'newest', digits(newest))
end

local function grant_first(ended)
    grant(1, 0)
    return reply({outcome = 'won', attempt = 1, left = asked.lease, ended = ended})
end
