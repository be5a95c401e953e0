-- How the end of an attempt is recorded, and told from another end.

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
