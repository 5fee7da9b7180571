#!lua
-- redrive: a dead letter goes back to the end of its lane.                  dead → queued | unclear
-- KEYS[1]  base
-- ARGV     1 id   2 who   3 why   4 requestReferenceId of the next round   5 that round's number
--          then the mended job's spec (see create.lua), if it is mended
-- Result   { queued, requestReferenceId } | { missing | notDead | open | alreadyRequested | changed, what it is about }
-- changed: the job was redriven, and died, since the caller read its round; the id in ARGV[4] may be a used one.
-- While its id is open the same id and the same bytes go again, and nothing can be mended. Otherwise a job that was
-- sent gets a new id. Refused when Redis is full.
-- needs: create attempts repeats

local job = load_job(ARGV[1])
if not job then return { 'missing', ARGV[1] } end
if job.state ~= 'dead' or not job.lane then return { 'notDead', job.state } end
local next_number = stamp(tonumber(job.round or '0') + 1)
if next_number ~= ARGV[5] then return { 'changed', next_number } end
local mended = ARGV[6] and read_spec(6)
if job.unclear > 0 and mended then return { 'open', job.ref } end
local claims = mended and mended.claims or claims_of(job)
if job.unclear == 0 and (mended or job).repeats ~= '1' then
    local holder = claim_against(job.transaction, claims, job.id)
    if holder then return { 'alreadyRequested', holder } end
end
redis.call('XLEN', lane_key((mended or job).lane))  -- raises before anything is written, if the lane can't be
if mended then
    set_job(job, 'body', mended.body, 'content', mended.digest, 'ref', ARGV[4], 'sends', '0', 'round', next_number)
    mended.given = '0'  -- a producer's own id serves the first round only
    for name, value in pairs(choices(mended)) do
        if value ~= '' then set_job(job, name, value) else redis.call('HDEL', job_key(job.id), name) end
    end
    if mended.line ~= job.line then redis.call('HSET', purchase_key(mended.line), 'job:' .. job.id, '') end
    job.ref, job.lane, job.line = ARGV[4], mended.lane, mended.line
elseif job.unclear == 0 and job.sends > 0 then
    next_round(job, ARGV[4])
end
if job.unclear == 0 then take_claims(job.transaction, claims, job.id) end
redis.call('XDEL', DEAD, job.dead)
redis.call('HDEL', job_key(job.id), 'dead', 'first', 'lost')
-- None counts against it any more, but the request of one that was lost may still be under way.
if job.lost and job.unclear > 0 then set_job(job, 'lost', '0') end
redis.call('HINCRBY', job_key(job.id), 'fence', 1)
redis.call('HINCRBY', job_key(job.id), 'redrives', 1)
set_job(job, 'state', resting_state(job, 'queued'), 'attempts', '0')
-- Behind live traffic: at the end of the stream. One that was withdrawn while it lay there unread still lies there.
-- An open one's last request may still be under way, if workers were lost a moment ago: it waits that out.
local over = job.unclear > 0 and repeat_due(job) or mended and tonumber(due_later(mended)) or 0
if job.ghost then
    redis.call('HDEL', job_key(job.id), 'ghost')
elseif over > now then
    redis.call('ZADD', LATER, stamp(over), job.id)
else
    redis.call('XADD', lane_key(job.lane), '*', 'id', job.id)
end
book('redriven', job.id, { 'transactionId', job.transaction, 'requestReferenceId', job.ref, 'by', ARGV[2], 'why', ARGV[3] })
ring()
return { 'queued', job.ref }
