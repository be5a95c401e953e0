-- Lets the lease end asked.lease from now, if the token may still do so (L7).

local run = run_of(asked.slot)
if not run or not held(run) then return reply({accepted = false}) end
run.ends = now + asked.lease
run.lease = asked.lease
put_run(run)
return reply({accepted = true, left = asked.lease})
