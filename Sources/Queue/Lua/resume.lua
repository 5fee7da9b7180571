#!lua flags=allow-oom
-- resume: a person lets an app send again.                                  (app: paused → running)
-- KEYS[1]  base
-- ARGV     1 who   2 why
-- Result   { 1 if it was paused, the pause's number }
-- needs: alarms

local paused = redis.call('HMGET', GATE, 'paused', 'pauses')
if not paused[1] then return { 0, paused[2] or '0' } end
redis.call('HDEL', GATE, 'paused', 'pausedAt', 'pausedBy', 'pausedWhy')
book('resumed', '', { 'reason', paused[1], 'by', ARGV[1], 'why', ARGV[2], 'pause', paused[2] })
alarm('resumed', { 'reason', paused[1], 'by', ARGV[1], 'why', ARGV[2], 'pause', paused[2] })
ring()
return { 1, paused[2] }
