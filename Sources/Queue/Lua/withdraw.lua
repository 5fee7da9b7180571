#!lua flags=allow-oom
-- withdraw: a person takes back what was not sent.                               queued, waiting → dead
-- KEYS[1]  base
-- ARGV     1 who   2 why   3 dry run: 1 or 0   then ids
-- Result   a verdict for each: withdrawn | sending | open | missing | its state
-- An unread stream entry is never deleted (the group's lag would turn null): the job is marked, and lease drops it.
-- needs: letters

local results = {}
for i = 4, #ARGV do
    local job = load_job(ARGV[i])
    if not job then
        results[#results + 1] = 'missing'
    elseif job.unclear > 0 then
        results[#results + 1] = 'open'
    elseif job.state ~= 'queued' and job.state ~= 'waiting' then
        results[#results + 1] = job.state
    else
        results[#results + 1] = 'withdrawn'
        if ARGV[3] ~= '1' then
            look_at_lines(job)
            local placed = redis.call('ZREM', ready_key(job.lane), job.id) + redis.call('ZREM', LATER, job.id)
                + leave_lines(job)
            if placed == 0 then set_job(job, 'ghost', '1') end
            book('withdrawn', job.id, { 'transactionId', job.transaction, 'by', ARGV[1], 'why', ARGV[2] })
            write_letter(job, 'withdrawn', '', '', 'Taken back by ' .. ARGV[1] .. ' before it was sent. A redrive sends it after all.')
        end
    end
end
return results
