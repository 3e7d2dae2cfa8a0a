import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The control connection, see spec/testee.md. It is written by hand and steers only: what the releases get wrong would
 * break it too. What is judged is the subject, which the testee opens with its release.
 */
public final class Control {
    static void say(Socket s, String frame) throws IOException {
        s.getOutputStream().write((frame + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    static String ascii(String text) {
        StringBuilder b = new StringBuilder();
        for (char c : text.toCharArray()) b.append(c < 127 ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        return b.toString();
    }

    public static void main(String[] args) throws IOException {
        Socket s = new Socket(Testee.HOST, Testee.PORT);
        BufferedInputStream in = new BufferedInputStream(s.getInputStream());
        say(s, "CONNECT\naccept-version:1.2\nhost:assay\nlogin:assay\npasscode:assay\nheart-beat:0,0\n\n");
        Testee subject = new Testee();
        // Orders are ASCII on one line, so that the first NUL ends a frame whatever it says of its length.
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        for (int c; (c = in.read()) >= 0; ) {
            if (c != 0) {
                frame.write(c);
                continue;
            }
            String text = frame.toString("US-ASCII").trim();
            frame.reset();
            if (text.startsWith("CONNECTED")) say(s, "SUBSCRIBE\nid:orders\ndestination:/assay/orders\nack:auto\n\n");
            if (!text.startsWith("MESSAGE")) continue;
            JsonObject order = JsonParser.parseString(text.substring(text.indexOf("\n\n") + 2)).getAsJsonObject(), report;
            if (order.get("do").getAsString().equals("connect")) subject = new Testee();
            try {
                report = subject.carryOut(order);
            } catch (Exception e) {
                report = Testee.object("error", e.toString());
            }
            report.add("n", order.get("n"));
            say(s, "SEND\ndestination:/assay/reports\n\n" + ascii(report.toString()));
        }
        System.exit(0);
    }
}
