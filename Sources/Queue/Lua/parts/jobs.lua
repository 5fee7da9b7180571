-- jobs: a job as the moves read and write it. Not a script of its own.

-- The fields of a job that moves read.
local FIELDS = { 'state', 'lane', 'transaction', 'line', 'operation', 'ref', 'round', 'at', 'fence', 'attempts',
    'sends', 'unclear', 'lost', 'worker', 'departed', 'timeout', 'first', 'repeats', 'dead', 'ghost', 'started',
    'waitsFor', 'by' }
-- A job that has lost more is suspected of killing workers.
local LEASES_A_JOB_MAY_LOSE = 2
-- How a stored body begins; its reference id goes between the last two quotes.
local BODY_HEAD = '{"requestInfo":{"requestReferenceId":""'
-- What most jobs have is left out of their records.
local USUAL_LANE, USUAL_OPERATION = 'normal', 'refund'
-- With what every job has: a table that names its fields gets room for them at once, and one that grows is laid out anew.
local function blank_job(id)
    return { id = id, state = nil, ref = nil, transaction = nil, line = nil, lane = nil, operation = nil, unclear = nil,
        sends = nil }
end
local function complete(job)
    job.line = job.line or job.transaction
    job.lane = job.lane or USUAL_LANE
    job.operation = job.operation or USUAL_OPERATION
    job.unclear = tonumber(job.unclear or '0')
    job.sends = tonumber(job.sends or '0')
    return job
end
-- A job by its fields' names; nil when there is no such job. A move that runs for every job names the fields that it
-- needs, `state` first: to look for one that isn't there Redis walks through the whole hash.
local function load_job(id, fields)
    fields = fields or FIELDS
    local values = redis.call('HMGET', job_key(id), unpack(fields))
    if not values[1] then return nil end
    local job = blank_job(id)
    for i = 1, #fields do
        if values[i] then job[fields[i]] = values[i] end
    end
    return complete(job)
end
-- The same with all that is in the record: cheaper than to name as many fields as a young record has.
local function load_whole_job(id)
    local values = redis.call('HGETALL', job_key(id))
    if not values[1] then return nil end
    local job = blank_job(id)
    for i = 1, #values, 2 do job[values[i]] = values[i + 1] end
    return complete(job)
end

local function set_job(job, ...) redis.call('HSET', job_key(job.id), ...) end

local function ring() redis.pcall('SPUBLISH', base .. ':bell', '') end

-- How often this call has put a job at the front of a lane.
local readied = 0
local function to_ready(job)
    readied = readied + 1
    redis.call('ZADD', ready_key(job.lane), job.at, job.id)
end
