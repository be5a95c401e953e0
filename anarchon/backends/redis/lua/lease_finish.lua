-- Ends the run and its record (L10); the same end is accepted again (L2).

local run = run_of(asked.slot)
local name = record_name(asked.slot, asked.token)
local record = record_named(name)
if run and held(run) then
    if record then end_record(name, record) end
    drop_run(run)
    return reply({accepted = true})
end
return reply({accepted = record and ended_as_asked(record) or false})
