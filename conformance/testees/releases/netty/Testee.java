import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.stomp.*;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Testee for the STOMP codec of netty, see spec/testee.md. The library is a codec: the client around it is the least
 * that its examples show. Control has the control connection.
 */
public final class Testee {
    static final String HOST = System.getenv("ASSAY_HOST");
    static final int PORT = Integer.parseInt(System.getenv("ASSAY_PORT"));
    static final NioEventLoopGroup GROUP = new NioEventLoopGroup(1);

    final LinkedBlockingQueue<JsonObject> events = new LinkedBlockingQueue<>();
    final LinkedBlockingQueue<String> connected = new LinkedBlockingQueue<>();
    Channel channel;
    int messages;

    static JsonObject object(String name, String value) {
        JsonObject o = new JsonObject();
        o.addProperty(name, value);
        return o;
    }

    final class Reader extends SimpleChannelInboundHandler<StompFrame> {
        @Override protected void channelRead0(ChannelHandlerContext ctx, StompFrame f) {
            if (f.decoderResult().isFailure()) {
                events.add(object("event", "closed")); // what a user does with a frame that failed
                ctx.close();
            } else if (f.command() == StompCommand.CONNECTED) {
                connected.add(f.headers().getAsString("version") == null ? "1.0" : f.headers().getAsString("version"));
            } else {
                JsonObject e = object("event", f.command() == StompCommand.MESSAGE ? "message" : "error"), headers = new JsonObject();
                for (Map.Entry<CharSequence, CharSequence> h : f.headers()) headers.addProperty(h.getKey().toString(), h.getValue().toString());
                e.add("headers", headers);
                e.addProperty("message", ++messages);
                e.addProperty("body", Base64.getEncoder().encodeToString(ByteBufUtil.getBytes(f.content())));
                events.add(e);
            }
        }

        @Override public void channelInactive(ChannelHandlerContext ctx) { events.add(object("event", "closed")); }

        @Override public void exceptionCaught(ChannelHandlerContext ctx, Throwable t) { ctx.close(); }
    }

    void write(StompCommand command, byte[] body, String... headers) throws Exception {
        StompFrame f = new DefaultStompFrame(command);
        for (int i = 0; i < headers.length; i += 2) f.headers().set(headers[i], headers[i + 1]);
        f.content().writeBytes(body);
        channel.writeAndFlush(f).sync();
    }

    JsonObject carryOut(JsonObject o) throws Exception {
        byte[] none = new byte[0];
        switch (o.get("do").getAsString()) {
            case "hello":
                String all = "[headers, closed-event, error-event, choose-version, choose-id, '1.1', '1.2']";
                JsonObject hello = object("library", "netty codec-stomp");
                hello.addProperty("version", StompFrame.class.getPackage().getImplementationVersion());
                hello.addProperty("language", "Java");
                hello.add("can", JsonParser.parseString(all));
                return hello;
            case "connect":
                channel = new Bootstrap().group(GROUP).channel(NioSocketChannel.class).handler(new ChannelInitializer<SocketChannel>() {
                    @Override protected void initChannel(SocketChannel c) {
                        c.pipeline().addLast(new StompSubframeDecoder(), new StompSubframeEncoder(), new StompSubframeAggregator(1 << 20), new Reader());
                    }
                }).connect(HOST, PORT).sync().channel();
                String version = o.get("version").getAsString();
                write(StompCommand.CONNECT, none, "accept-version", version.equals("default") ? "1.1,1.2" : version, "host", "assay", "heart-beat", "0,0");
                String got = connected.poll(o.get("wait").getAsLong(), TimeUnit.MILLISECONDS);
                return got == null ? object("error", "no CONNECTED in time") : object("version", got);
            case "send":
                StompFrame f = new DefaultStompFrame(StompCommand.SEND);
                f.headers().set("destination", o.get("destination").getAsString());
                if (o.has("headers")) for (Map.Entry<String, JsonElement> h : o.getAsJsonObject("headers").entrySet()) f.headers().set(h.getKey(), h.getValue().getAsString());
                f.content().writeBytes(Base64.getDecoder().decode(o.get("body").getAsString()));
                channel.writeAndFlush(f).sync();
                return new JsonObject();
            case "subscribe":
                write(StompCommand.SUBSCRIBE, none, "id", o.get("id").getAsString(), "destination", o.get("destination").getAsString(), "ack", o.get("ack").getAsString());
                return new JsonObject();
            case "receive":
                JsonObject e = events.poll(o.get("wait").getAsLong(), TimeUnit.MILLISECONDS);
                return e == null ? object("event", "none") : e;
            default:
                return object("unsupported", "the testee of old releases does not know this order");
        }
    }
}
