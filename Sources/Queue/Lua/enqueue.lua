#!lua
-- enqueue: a validated job enters its lane.   (nothing) → queued; dead → discarded (a letter that it mends)
-- KEYS[1]  base
-- ARGV     one spec (see create.lua), then the id of a dead letter that this job mends, or ''
-- Result   { verdict, id or state it is about, requestReferenceId that the job has }
--          verdict: enqueued | duplicate | conflict | alreadyRequested | referenceUsed
-- Refused when Redis is full.
-- needs: create books

local spec, rest = read_spec(1)
local letter = ARGV[rest]
local what, about = verdict(spec)
if what == 'duplicate' then
    return { what, about, redis.call('HGET', job_key(spec.id), 'ref') }
elseif what ~= 'enqueued' then
    return { what, about, '' }
end
local mended
if letter ~= '' then
    mended = redis.call('HGET', job_key(letter), 'dead')
    if not mended then return { 'missing', letter, '' } end
end
redis.call('XLEN', lane_key(spec.lane))  -- raises before anything is written, if the lane can't be
local job = create(spec, now)
local due = due_later(spec)
if due then
    redis.call('ZADD', LATER, due, spec.id)
else
    redis.call('XADD', lane_key(spec.lane), '*', 'id', spec.id)
end
if mended then
    redis.call('XDEL', DEAD, mended)
    redis.call('HDEL', job_key(letter), 'dead')
    redis.call('HSET', job_key(letter), 'state', 'discarded')
    book('redriven', spec.id, { 'letter', letter, 'by', spec.by })
end
ring()
return { 'enqueued', 'queued', spec.ref }
