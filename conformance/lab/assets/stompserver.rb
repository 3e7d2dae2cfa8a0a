# Runs the stompserver library on numeric loopback with the configuration that the command line names.
require 'etc'
require 'yaml'
require 'optparse'
require 'stomp_server'

$stdout.sync = true
# Ruby makes SIGTERM an exception, and the library's handler of received data swallows every exception.
trap('TERM', 'SYSTEM_DEFAULT')
EventMachine.run do
  options = StompServer::Configurator.new.opts
  server = StompServer::Run.new(options)
  server.start
  protocol = StompServer::Protocols::Stomp
  # The protocol class reads these from the class that opens its file, which Ruby 3 forbids from the top level.
  {
    auth_required: server.auth_required, queue_manager: server.queue_manager,
    topic_manager: server.topic_manager, stompauth: server.stompauth
  }.each { |name, value| protocol.class_variable_set("@@#{name}", value) }
  EventMachine.start_server('127.0.0.1', options[:port], protocol)
end
