-- Of all that is older than the newest asked.keep, drops what started before that
-- instant and may go; at most so many in one step.

local function trim_records(before, most, may_go)
    local surplus = redis.call('ZCARD', ORDER) - asked.keep
    if surplus <= 0 then return end
    local places = redis.call(
        'ZRANGEBYSCORE', ORDER, '-inf', before, 'LIMIT', 0, math.min(surplus, most)
    )
    for _, place in ipairs(places) do
        local name = name_at(place)
        if may_go(name) then
            redis.call('ZREM', ORDER, place)
            redis.call('HDEL', RECORDS, name)
        end
    end
end
