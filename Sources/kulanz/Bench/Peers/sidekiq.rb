# Sidekiq as the other side of a measurement. Worker: sidekiq -r sidekiq.rb. Producer: ruby sidekiq.rb KIND N WAY.
# BENCH_PORT is Redis', BENCH_FOLDER is where jobs leave their marks.
require "sidekiq"
url = "redis://127.0.0.1:#{ENV.fetch("BENCH_PORT")}/0"
Sidekiq.configure_server { |c| c.redis = { url: url }; c.logger.level = Logger::WARN }
Sidekiq.configure_client { |c| c.redis = { url: url } }
FILES = %w[done delays].to_h { |name| [name, File.open("#{ENV.fetch("BENCH_FOLDER")}/#{name}", "a")] }

class Done
  include Sidekiq::Worker
  def perform(_) = FILES["done"].syswrite("x")
end

class Delay
  include Sidekiq::Worker
  def perform(job) = FILES["delays"].syswrite("#{1000 * (Process.clock_gettime(Process::CLOCK_MONOTONIC) - job["at"])}\n")
end

if $PROGRAM_NAME == __FILE__
  kind, count, way = ARGV[0], ARGV[1].to_i, ARGV[2]
  jobs = (0...count).map do |i|
    { "refund_id" => format("rf_%012d", i), "app_id" => "wx_app_000001", "transaction_id" => format("4200001234%018d", i),
      "out_refund_no" => format("R20260101%010d", i), "amount" => { "refund" => 1999, "total" => 5999, "currency" => "CNY" },
      "reason" => "customer returned goods", "notify_url" => "http://127.0.0.1/refund/notify", "attempt" => 0 }
  end
  if kind == "delay"
    jobs.each do |job|
      job["at"] = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      Delay.perform_async(job)
      sleep 0.05
    end
  else
    cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    if way == "single"
      jobs.each { |job| Done.perform_async(job) }
    else
      jobs.each_slice(1000) { |slice| Sidekiq::Client.push_bulk("class" => Done, "args" => slice.map { |job| [job] }) }
    end
    puts Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    puts Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
  end
end
