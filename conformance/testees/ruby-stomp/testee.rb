#!/usr/bin/ruby
# frozen_string_literal: true

# Testee for the stomp gem: carries out the orders of Assay with Stomp::Connection, see spec/testee.md.
require 'json'
require 'stomp'

CAN = %w[receipt nack transaction transaction-ack beats binary headers unsubscribe-receipt disconnect-receipt ack-mode
         error-event closed-event choose-version choose-id 1.0 1.1 1.2].freeze

# The gem refuses a host without accept-version, and has neither by itself: then it speaks 1.0.
def open_connection(login, passcode, headers, limit = 0)
  Stomp::Connection.new(hosts: [{ login: login, passcode: passcode, host: ENV.fetch('ASSAY_HOST'), port: ENV.fetch('ASSAY_PORT').to_i }],
                        connect_headers: headers, reliable: false, connect_timeout: limit, connread_timeout: limit)
end

# The connection that is judged, and what it delivered.
class Subject
  def initialize(control)
    @control = control
    @messages, @told, @destinations = [], [], {}
  end

  def connect(order, wait)
    headers = order['version'] == 'default' ? {} : { 'accept-version' => order['version'], 'host' => 'assay' }
    headers['heart-beat'] = order['beats'].join(',') if order['beats']&.any? && !headers.empty?
    @conn = open_connection(order['login'], order['passcode'], headers, wait)
    frame = @conn.connection_frame
    return { version: @conn.protocol } if frame&.command == 'CONNECTED'
    { error: frame ? "#{frame.command}: #{frame.headers['message']}" : 'no frame instead of CONNECTED' }
  end

  def carry_out(order, wait)
    headers = { 'transaction' => order['transaction'] }.compact
    headers['receipt'] = "receipt-#{order['n']}" if order['receipt']
    return connect(order, wait) if order['do'] == 'connect'
    return receive(wait) if order['do'] == 'receive'
    raise 'the connection is over' unless @conn

    case order['do']
    when 'send' then publish(order, headers)
    when 'subscribe'
      @destinations[order['id']] = order['destination']
      @conn.subscribe(order['destination'], headers.merge('id' => order['id'], 'ack' => order['ack'] || 'auto'))
    when 'unsubscribe' then @conn.unsubscribe(@destinations[order['id']], headers.merge('id' => order['id']))
    when 'ack', 'nack' then acknowledge(order, headers)
    when 'begin', 'commit', 'abort' then @conn.public_send(order['do'], order['transaction'])
    when 'disconnect'
      @reader&.kill
      Timeout.timeout(wait) { @conn.disconnect('receipt' => "receipt-#{order['n']}") }
    end
    {}
  rescue SystemCallError, IOError => e
    @told << over(e.inspect)
    raise
  end

  def publish(order, headers)
    body = order['body'].to_s.unpack1('m')
    body = (body * (order['size'] / body.bytesize + 1))[0, order['size']] if order['size']
    body.force_encoding('UTF-8') if order['text']
    @conn.publish(order['destination'], body, (order['headers'] || {}).merge(headers))
  end

  def acknowledge(order, headers)
    acked = @messages[order['message'] - 1].headers
    headers['subscription'] = acked['subscription'] if @conn.protocol == '1.1'
    @conn.public_send(order['do'], acked[@conn.protocol == '1.2' ? 'ack' : 'message-id'], headers)
  end

  # A read has no limit in the library; one that outlasts the order goes on and is waited for by the next.
  def receive(wait)
    return @told.shift || { event: 'none' } unless @conn
    @reader ||= Thread.new { @conn.receive }.tap { |thread| thread.report_on_exception = false }
    until @reader.join([wait, 0.5].min)
      exit if @control.poll || @control.closed? # no order comes while one is carried out: it has ended
      return { event: 'none' } if (wait -= 0.5) <= 0
    end
    frame = @reader.value
    @reader = nil
    frame ? event(frame) : over('receive returned nil')
  rescue StandardError => e
    over(e.inspect)
  end

  # Used again after a failure, the library opens a new connection.
  def over(reason)
    @conn = nil
    { event: 'closed', reason: reason }
  end

  def event(frame)
    # Of a repeated header the library gives all values, and the first one counts. JSON needs UTF-8.
    headers = frame.headers.to_h { |*pair| pair.map { |text| Array(text).first.dup.force_encoding('UTF-8').scrub } }
    size = frame.body.bytesize
    content = { headers: headers, body: size > 65_536 ? nil : [frame.body].pack('m0') }
    content.update(size: size, sha256: Digest::SHA256.hexdigest(frame.body)) if size > 65_536
    case frame.command
    when 'RECEIPT' then { event: 'receipt', id: headers['receipt-id'] }
    when 'ERROR' then { event: 'error', **content }
    else { event: 'message', message: @messages.push(frame).size, **content }
    end
  end
end

subject = nil
control = open_connection('assay', 'assay', { 'accept-version' => '1.0,1.1,1.2', 'host' => 'assay', 'heart-beat' => '0,0' })
control.subscribe('/assay/orders', 'id' => 'orders', 'ack' => 'auto')
while (message = control.receive)
  order = JSON.parse(message.body)
  begin
    subject = Subject.new(control) if order['do'] == 'connect'
    hello = { library: 'stomp gem', version: Stomp::Version::STRING, language: 'Ruby', can: CAN }
    report = order['do'] == 'hello' ? hello : subject.carry_out(order, order['wait'].to_i / 1000.0)
  rescue StandardError => e
    report = { error: e.inspect.scrub }
  end
  control.publish('/assay/reports', JSON.generate(report.merge(n: order['n']), ascii_only: true))
end
