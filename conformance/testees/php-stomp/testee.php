#!/usr/bin/php
<?php
// Testee for PHP's stomp extension: carries out the orders of Assay with the library, see spec/testee.md.
declare(strict_types=1);

// The extension's documentation names no version, and what it does is that of 1.0.
const CAN = 'receipt transaction transaction-ack binary headers unsubscribe-receipt ack-mode error-event closed-event choose-id 1.0';

function open_connection(string $login, string $passcode, array $headers): Stomp {
    return new Stomp(sprintf('tcp://%s:%s', getenv('ASSAY_HOST'), getenv('ASSAY_PORT')), $login, $passcode, $headers);
}

/** The connection that is judged, and what it delivered. */
final class Subject {
    private ?Stomp $stomp = null;
    private bool $closed = false;
    private array $messages = [], $destinations = [];

    public function __construct(private Stomp $control) {}

    public function connect(object $order, int $wait): array {
        foreach (['read', 'connection'] as $kind) {
            ini_set("stomp.default_{$kind}_timeout_sec", (string) intdiv($wait, 1000));
            ini_set("stomp.default_{$kind}_timeout_usec", (string) ($wait % 1000 * 1000));
        }
        $this->stomp = open_connection($order->login ?? '', $order->passcode ?? '', ['host' => 'assay']);
        return [];
    }

    public function carryOut(object $order, int $wait): array {
        $headers = isset($order->transaction) ? ['transaction' => $order->transaction] : [];
        if ($order->receipt ?? false) {
            $headers['receipt'] = "receipt-$order->n"; // with it the library waits for the RECEIPT
        }
        if ($order->do === 'connect' || $order->do === 'receive') {
            return $this->{$order->do}($order, $wait);
        }
        $this->limit($stomp = $this->stomp ?? throw new LogicException('no connection'), $wait);
        $id = $order->id ?? '';
        $destination = $this->destinations[$id] = $order->destination ?? $this->destinations[$id] ?? '';
        $body = base64_decode($order->body ?? '');
        $body = isset($order->size) ? str_pad('', $order->size, $body) : $body;
        $done = match ($order->do) {
            'send' => $stomp->send($destination, $body, $headers + (array) ($order->headers ?? [])),
            'subscribe' => $stomp->subscribe($destination, ['id' => $id, 'ack' => $order->ack ?? 'auto'] + $headers),
            'unsubscribe' => $stomp->unsubscribe($destination, ['id' => $id] + $headers),
            'ack', 'nack' => $stomp->{$order->do}($this->messages[$order->message - 1], $headers),
            'begin', 'commit', 'abort' => $stomp->{$order->do}($order->transaction),
            'disconnect' => $stomp = $this->stomp = null, // the destructor sends DISCONNECT
        };
        if ($done === false) {
            return ['error' => $stomp->error() ?: "$order->do returned false"];
        }
        return isset($headers['receipt']) ? ['receipt' => true] : [];
    }

    private function limit(Stomp $stomp, int $ms): void {
        $stomp->setReadTimeout(intdiv($ms, 1000), $ms % 1000 * 1000);
    }

    private function receive(object $order, int $wait): array {
        $this->limit($this->control, 0);
        for ($until = microtime(true) + $wait / 1000; $this->stomp && !$this->closed;) {
            $this->control->hasFrame() && exit(0); // no order comes while one is carried out: it has ended
            if (($left = (int) (($until - microtime(true)) * 1000)) <= 0) {
                break;
            }
            $this->limit($this->stomp, min($left, 500));
            try {
                $frame = $this->stomp->readFrame();
            } catch (StompException $e) { // the way in which an ERROR frame is shown
                return ['event' => 'error', 'headers' => ['message' => $e->getMessage()], 'body' => base64_encode((string) $e->getDetails())];
            } catch (RuntimeException $e) {
                $this->closed = true; // to read again would crash the library
                throw $e;
            }
            if ($frame) {
                return $this->event($frame);
            }
            if ($reason = $this->stomp->error()) {
                $this->closed = true;
                return ['event' => 'closed', 'reason' => $reason];
            }
        }
        return ['event' => 'none'];
    }

    private function event(StompFrame $frame): array {
        if ($frame->command === 'RECEIPT') {
            return ['event' => 'receipt', 'id' => $frame->headers['receipt-id'] ?? ''];
        }
        if ($frame->command !== 'MESSAGE') return ['event' => 'closed', 'reason' => "readFrame returned a frame $frame->command"];
        $body = (string) $frame->body;
        $content = strlen($body) > 65536 ? ['size' => strlen($body), 'sha256' => hash('sha256', $body)] : ['body' => base64_encode($body)];
        return ['event' => 'message', 'message' => array_push($this->messages, $frame), 'headers' => (object) $frame->headers] + $content;
    }
}

$control = open_connection('assay', 'assay', ['host' => 'assay']);
$control->subscribe('/assay/orders', ['id' => 'orders', 'ack' => 'auto']);
$control->setReadTimeout(86400);
$subject = new Subject($control);
// The library's read timeout holds for the first octets of a frame only; a signal ends a call that waits for more.
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => throw new RuntimeException('the library does not return'), false);
while ($frame = $control->readFrame()) {
    $order = json_decode($frame->body);
    pcntl_alarm(intdiv($order->wait ?? 0, 1000) + 1);
    try {
        $subject = $order->do === 'connect' ? new Subject($control) : $subject;
        $hello = ['library' => 'pecl stomp', 'version' => stomp_version(), 'language' => 'PHP', 'can' => explode(' ', CAN)];
        $report = $order->do === 'hello' ? $hello : $subject->carryOut($order, $order->wait ?? 0);
    } catch (Throwable $e) {
        $report = ['error' => get_class($e) . ': ' . $e->getMessage()];
    }
    pcntl_alarm(0);
    $control->send('/assay/reports', json_encode($report + ['n' => $order->n], JSON_INVALID_UTF8_SUBSTITUTE));
    $control->setReadTimeout(86400);
}
