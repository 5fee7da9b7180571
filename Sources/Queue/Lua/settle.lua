#!lua flags=allow-oom
-- settle: Apple answered 200.                              sending, unclear, dead → accepted | done; held → accepted
-- KEYS[1]  base
-- ARGV     1 retention ms of a job that is done   2 number of answers, then for each: id, requestReferenceId that was
--          answered, http status, signedTransactionInfo, signedRenewalInfo, departure of the request that was answered, µs;
--          then for each header that stands in them by its name: the name, and the header, or '' if it is stored already
-- Result   headers, or for each answer: accepted | done | already | foreign | failed: and why
-- Evidence, so no fence decides: a 200 that comes after the lease was lost is recorded all the same, and whoever is
-- about to repeat the request no longer does. `foreign`: the job has gone on to another id, which can't be while this
-- one was open, or a person has closed its letter; it is booked and changes nothing more. If it answers an earlier
-- send, the last one may still be under way: the purchase's next job waits that out. `headers`: one that should be
-- stored isn't; nothing was moved, and the caller sends them all.
-- needs: jobs lines log
-- seldom: claims repeats down -> drop_claims repeat_due note_answer

local WORDS = 6
local HEADERS = base .. ':headers'
for i = 3 + tonumber(ARGV[2]) * WORDS, #ARGV, 2 do
    if ARGV[i + 1] ~= '' then
        redis.call('HSETNX', HEADERS, ARGV[i], ARGV[i + 1])
    elseif redis.call('HEXISTS', HEADERS, ARGV[i]) == 0 then
        return 'headers'
    end
end

local NEEDED = { 'state', 'ref', 'transaction', 'fence', 'started', 'departed', 'operation', 'line' }
local OPEN = { sending = true, unclear = true, queued = true, waiting = true, held = true, dead = true }
local was_sent, awaited, has_settled = {}, {}, false

local function settle(id, ref, status, transaction, renewal, departed)
    local job = load_job(id, NEEDED)
    if not job then error({ err = 'MISSING job ' .. id }) end
    if job.ref ~= ref or job.state == 'discarded' then
        book('answer', id, { 'transactionId', job.transaction, 'requestReferenceId', ref, 'result', 'lateAnswer',
            'httpStatus', status })
        return 'foreign'
    end
    if not OPEN[job.state] then return 'already' end
    if job.state ~= 'sending' or job.departed ~= departed then job = load_job(id) end

    -- First what others' data can spoil, all of which may be done twice; what makes an answer `already` comes after it.
    local state = job.operation == 'cancel' and 'done' or 'accepted'
    local until_us
    if job.departed ~= departed then
        local _, repeat_due = seldom()
        until_us = repeat_due(job)
    end
    if job.state ~= 'sending' then leave_lines(job) end
    give_lines_up(job, until_us)
    if state == 'done' then
        local drop_claims = seldom()
        drop_claims(job)
    end

    -- Off whatever place it is in: exactly one of these holds it, and an unread stream reference is dropped by lease.
    local log = log_with(job, 'accepted', status, '', '')
    if job.state ~= 'sending' then
        redis.call('ZREM', ready_key(job.lane), id)
        redis.call('ZREM', LATER, id)
        redis.call('ZREM', FOLLOWUPS, id)
        redis.call('SREM', HELD, id)
    end
    if job.dead then
        redis.call('XDEL', DEAD, job.dead)
        redis.call('HDEL', job_key(id), 'dead')
    end
    -- The fence rises, so whoever still holds it can move it no more.
    set_job(job, 'state', state, 'worker', '', 'ended', now_ms, 'unclear', '0', 'signedTransaction', transaction, 'log', log,
        'fence', stamp(tonumber(job.fence or '0') + 1))
    if renewal ~= '' then set_job(job, 'signedRenewal', renewal) end
    if state == 'done' then redis.call('PEXPIRE', job_key(id), ARGV[1]) end
    has_settled = true
    if job.state == 'sending' then was_sent[#was_sent + 1] = id end
    if state == 'accepted' then
        awaited[#awaited + 1] = stamp(now + 3600 * 1000000)
        awaited[#awaited + 1] = id
    end
    return state
end

-- What ails one job's data must not keep the others' answers from being recorded, so each error is its own.
local results = {}
for i = 1, tonumber(ARGV[2]) do
    local is_sound, result = pcall(settle, unpack(ARGV, 3 + (i - 1) * WORDS, 2 + i * WORDS))
    results[i] = is_sound and result or 'failed: ' .. (type(result) == 'table' and result.err or tostring(result))
end
if #was_sent > 0 then redis.call('ZREM', LEASES, unpack(was_sent)) end
if #awaited > 0 then redis.call('ZADD', FOLLOWUPS, unpack(awaited)) end
if has_settled then
    local trouble = redis.call('HMGET', GATE, 'down', 'refusedBy', 'suspects')
    if trouble[1] or trouble[2] or trouble[3] then
        local _, _, note_answer = seldom()
        note_answer('200')
    end
end
return results
