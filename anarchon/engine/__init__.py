"""The engine: what one instance does between start and stop.

Decides when a store is asked what, and what an answer means for a handler. Imports
neither a driver nor asyncio nor trio, and knows no store but by the protocol.

How a slot becomes a run, file by file::

    timers      the slot is due, the next one is armed, jitter is waited for
    lease_runner / claim_runner
                the claim is asked for until there is an answer; the answer is acted on
    run         the won attempt: shield, heartbeat, handler, then the write of its end
    boundary    the handler's end becomes a value
    heartbeat   the lease is pushed forward; the only file that says "lost"
    settle      finish or release is asked for until there is an answer
    watch       the instances that did not win look after the run
    recovery    what was left behind, at start and once per lease

``session`` holds these together for one start-to-stop life; ``calls`` is the one way to
the store, ``store_time`` the one estimate of its clock; ``instance`` lives as long as
the scheduler.
"""
