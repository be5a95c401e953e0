-- Ends the run and its record (L10); the same end is accepted again (L2).

local run = run_of(asked.slot)
local record = last_record(asked.slot)
if run and held(run) then
    end_record(record_of(run))
    drop_run(run)
    return reply({accepted = true})
end
return reply({accepted = record and ended_as_asked(record) or false})
