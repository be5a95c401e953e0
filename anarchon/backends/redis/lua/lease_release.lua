-- Ends the lease, the attempt's record and the token, all at once (L8).

local run = run_of(asked.slot)
if not run or run.token ~= asked.token then return reply({accepted = false}) end
if not run.spent then
    write_record(digits(run.slot), interrupted(run, true))
    run.ends = now
    run.lease = 0
    run.spent = true
    run.freed = run.freed + 1
    put_run(run)
end
return reply({accepted = true})
