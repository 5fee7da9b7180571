#!lua flags=allow-oom
-- discard: a person closes a dead letter for good.                                     dead → discarded
-- KEYS[1]  base
-- ARGV     1 id   2 who   3 why   4 the finding about an open id: refunded | notRefunded | ''   5 retention ms
-- Result   discarded | missing | notDead | open
-- While its id is open it takes a stated finding, which is booked and closes the id.
-- needs: lines claims repeats books

local id = ARGV[1]
local there = redis.call('HMGET', job_key(id), 'state', 'dead', 'letter')
if not there[1] then return 'missing' end
if there[1] ~= 'dead' then return 'notDead' end
if there[3] then
    redis.call('XDEL', DEAD, there[2])
    redis.call('HSET', job_key(id), 'state', 'discarded')
    redis.call('HDEL', job_key(id), 'dead')
    redis.call('PEXPIRE', job_key(id), ARGV[5])
    book('discarded', id, { 'by', ARGV[2], 'why', ARGV[3] })
    return 'discarded'
end
local job = load_job(id)
local was_open = job.unclear > 0
if was_open and ARGV[4] == '' then return 'open' end
look_at_lines(job)
redis.call('XDEL', DEAD, job.dead)
redis.call('HDEL', job_key(id), 'dead')
set_job(job, 'state', 'discarded', 'ended', now_ms, 'unclear', '0')
if ARGV[4] ~= '' then set_job(job, 'finding', ARGV[4]) end
if was_open then
    job.unclear = 0
    -- Whoever found out what became of it may have been quicker than the request of a worker that was lost.
    give_lines_up(job, job.lost and repeat_due(job) or nil)
    -- What was found refunded stays claimed: asking again takes allowRepeat.
    if ARGV[4] ~= 'refunded' then drop_claims(job) end
end
if ARGV[4] ~= 'refunded' then redis.call('PEXPIRE', job_key(id), ARGV[5]) end
book('discarded', id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'finding', ARGV[4],
    'by', ARGV[2], 'why', ARGV[3] })
return 'discarded'
