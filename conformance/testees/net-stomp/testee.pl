#!/usr/bin/perl
# Testee for Net::Stomp: carries out the orders of Assay with the library, see spec/testee.md.
use strict;
use warnings;
use JSON::PP ();
use MIME::Base64 qw(encode_base64 decode_base64);
use Net::Stomp;
use Time::HiRes qw(alarm time);

# The library opens a new connection whenever it finds one lost, and has no switch against it.
@Once::ISA = ('Net::Stomp');
sub Once::_reconnect { die "connection lost, the library would reconnect\n" }

# The library's documentation names no version, and what it does is that of 1.0.
my @can = qw(receipt transaction transaction-ack binary headers unsubscribe-receipt ack-mode error-event closed-event choose-id 1.0);
my %address = (hostname => $ENV{ASSAY_HOST}, port => $ENV{ASSAY_PORT});
my $json    = JSON::PP->new->ascii->canonical;
my ($control, $subject, @events, @messages, $closed);

# Runs a call that may block; the library's own timeouts start anew with every read.
sub within {
    my ($wait, $call) = @_;
    local $SIG{ALRM} = sub { die "nothing within the wait\n" };
    alarm($wait + 0.05);
    my @got = eval { $call->() };
    alarm(0);
    die $@ if $@;
    return $got[0];
}

# What the library delivers are octets; they are taken for UTF-8, as STOMP has it, to be put into JSON.
sub text { my $octets = shift // ''; utf8::decode($octets); return $octets }
sub octets { my $text = shift; utf8::encode($text); return $text }

sub event {
    my $frame = shift;
    my ($command, $headers) = ($frame->command // '', $frame->headers // {});
    return { event => 'receipt', id => text($headers->{'receipt-id'}) } if $command eq 'RECEIPT';
    my $body = $frame->body // '';
    my %event = (headers => { map { (text($_) => text($headers->{$_})) } keys %$headers }, body => encode_base64($body, ''));
    if (length $body > 65536) {
        require Digest::SHA;
        @event{qw(size sha256 body)} = (length $body, Digest::SHA::sha256_hex($body), '');
    }
    return { event => 'error', %event } if $command eq 'ERROR';
    return if $command ne 'MESSAGE';
    push @messages, $frame;
    return { event => 'message', message => scalar @messages, %event };
}

sub receive {
    my $wait = shift;
    return shift @events if @events;
    return { event => 'none' } if $closed;
    for (my $until = time + $wait; (my $left = $until - time) > 0;) {
        exit if $control->can_read({ timeout => 0 });    # no order comes while one is carried out: it has ended
        $left = 0.5 if $left > 0.5;
        my $frame = eval { within($left, sub { $subject->receive_frame({ timeout => $left }) }) };
        my $event = $frame && event($frame);
        return $event if $event;
        next if $frame || $subject->socket->opened;
        $closed = 1;
        return { event => 'closed', reason => 'receive_frame returned undef' };
    }
    return { event => 'none' };
}

sub connect_subject {
    my ($o, $wait) = @_;
    (@events, @messages, $closed) = ();
    $subject = Once->new({ %address, timeout => $wait });
    my %headers = (host => 'assay', map { defined $o->{$_} ? ($_ => $o->{$_}) : () } qw(login passcode));
    my $frame = $subject->connect(\%headers) or die "connect returned undef\n";
    my $version = $frame->headers->{version};
    return { $version ? (version => $version) : () } if ($frame->command // '') eq 'CONNECTED';
    die 'connect returned ' . ($frame->command // 'no command') . ': ' . text($frame->headers->{message}) . "\n";
}

sub send_message {
    my ($o, $wait, %extra) = @_;
    my $body = decode_base64($o->{body} // '');
    $body = substr($body x (1 + $o->{size} / length $body), 0, $o->{size}) if $o->{size};
    my %headers = map { octets($_) => octets($o->{headers}{$_}) } keys %{ $o->{headers} // {} };
    # The documentation recommends a content-length with the length in octets.
    my %conf = (%headers, destination => $o->{destination}, body => $body, 'content-length' => length $body, %extra);
    return $subject->send(\%conf) && {} if !$o->{receipt};
    return { receipt => JSON::PP::true } if $subject->send_with_receipt({ %conf, timeout => $wait }, my $frame);
    push @events, grep { $_ } event($frame) if $frame;
    die $frame ? "not a RECEIPT\n" : "no RECEIPT\n";
}

sub carry_out {
    my ($o, $wait) = @_;
    my $do = $o->{do};
    $_ = octets($_) for grep { defined } @$o{qw(destination id transaction)};
    return { library => 'Net::Stomp', version => "$Net::Stomp::VERSION", language => 'Perl', can => \@can } if $do eq 'hello';
    return connect_subject($o, $wait) if $do eq 'connect';
    my %tx = $o->{transaction} ? (transaction => $o->{transaction}) : ();
    my %receipt = $o->{receipt} ? (receipt => "receipt-$o->{n}") : ();
    if    ($do eq 'send') { return send_message($o, $wait, %tx) }
    elsif ($do eq 'subscribe') { $subject->subscribe({ destination => $o->{destination}, id => $o->{id}, ack => $o->{ack} // 'auto', %receipt }) }
    elsif ($do eq 'unsubscribe') { $subject->unsubscribe({ id => $o->{id}, %receipt }) }
    elsif ($do eq 'ack' || $do eq 'nack') { $subject->$do({ frame => $messages[ $o->{message} - 1 ], %tx }) }
    elsif ($do eq 'disconnect') { $subject->disconnect }
    # There is no call for a transaction of several frames: the documentation has users make the frame.
    else { $subject->send_frame(Net::Stomp::Frame->new({ command => uc $do, headers => {%tx} })) }
    return {};
}

$control = Once->new({%address});
$control->connect({ login => 'assay', passcode => 'assay', host => 'assay' }) or die "no control connection\n";
$control->subscribe({ destination => '/assay/orders', id => 'orders', ack => 'auto' });
while (my $frame = $control->receive_frame) {
    my $o = $json->decode($frame->body);
    my $wait = ($o->{wait} // 0) / 1000;
    my $report = eval { $o->{do} eq 'receive' ? receive($wait) : within($wait, sub { carry_out($o, $wait) }) } || { error => $@ =~ s/\s+\z//r };
    my $body = $json->encode({ %$report, n => $o->{n} });
    $control->send({ destination => '/assay/reports', body => $body, 'content-length' => length $body });
}
