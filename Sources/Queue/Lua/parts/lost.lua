-- lost: leases that were lost. Not a script of its own.
-- needs: jobs attempts letters repeats

-- A lease was lost: its request may have left, so the id is open and goes again with the same bytes, but not before
-- the lost request can no longer be on its way. Lost a third time, the job itself is suspected of killing workers.
local function lose_lease(job)
    leave_open(job)
    local lost = tonumber(job.lost or '0') + 1
    set_job(job, 'lost', stamp(lost))
    record_attempt(job, 'lost', '', '', '')
    end_lease(job)
    if lost > LEASES_A_JOB_MAY_LOSE then
        write_letter(job, 'workerLost', '', '', 'Three workers in a row disappeared while they sent this job. Look at their '
            .. 'logs first; its request may have arrived, so a redrive repeats the same requestReferenceId.')
        return
    end
    set_job(job, 'state', 'unclear')
    redis.call('ZADD', LATER, stamp(repeat_due(job)), job.id)
    ring()
end
