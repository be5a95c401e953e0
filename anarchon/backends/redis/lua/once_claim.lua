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
local function is_over(record, young)
    return (record.ended or record.started + ORPHAN) < young
end

local function grant()
    open_record(1)
    trim_after_grant(is_over)
    return won(1, 0)
end

return known(last_record(asked.slot))
    or taken()
    or untimely(math.min(asked.limit, asked.memory and asked.memory / 2 or math.huge))
    or take()
    or grant()
