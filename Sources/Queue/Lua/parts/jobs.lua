-- jobs: a job as the moves read and write it. Not a script of its own.

-- The fields of a job that moves read.
local FIELDS = { 'state', 'lane', 'transaction', 'line', 'operation', 'ref', 'round', 'at', 'fence', 'attempts',
    'sends', 'unclear', 'lost', 'worker', 'departed', 'timeout', 'first', 'repeats', 'dead', 'ghost', 'started',
    'waitsFor', 'by' }
-- What most jobs have is left out of their records.
local USUAL_LANE, USUAL_OPERATION = 'normal', 'refund'
-- A job by its fields' names; nil when there is no such job. A move that runs for every job names the fields that it
-- needs, `state` first: to look for one that isn't there Redis walks through the whole hash.
local function load_job(id, fields)
    fields = fields or FIELDS
    local values = redis.call('HMGET', job_key(id), unpack(fields))
    if not values[1] then return nil end
    -- A table that names its fields gets room for them at once; one that grows is laid out anew five times.
    local job = { id = id, state = nil, lane = nil, transaction = nil, line = nil, operation = nil, ref = nil, at = nil,
        fence = nil, sends = nil, unclear = nil, round = nil, attempts = nil, lost = nil, first = nil, started = nil,
        digest = nil, body = nil }
    for i = 1, #fields do job[fields[i]] = values[i] or nil end
    job.line = job.line or job.transaction
    job.lane = job.lane or USUAL_LANE
    job.operation = job.operation or USUAL_OPERATION
    job.unclear = tonumber(job.unclear or '0')
    job.sends = tonumber(job.sends or '0')
    return job
end

local function set_job(job, ...) redis.call('HSET', job_key(job.id), ...) end

-- Apple's body as it is sent. The record holds it without the reference id, which has a field of its own.
local function body_with(ref, body)
    local _, last = string.find(body, '"requestReferenceId":"', 1, true)
    return string.sub(body, 1, last) .. ref .. string.sub(body, last + 1)
end

local function ring() redis.pcall('SPUBLISH', base .. ':bell', '') end

-- How often this call has put a job at the front of a lane.
local readied = 0
local function to_ready(job)
    readied = readied + 1
    redis.call('ZADD', ready_key(job.lane), job.at, job.id)
end
