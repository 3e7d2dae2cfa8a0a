// Runs stomp-broker-js on numeric loopback. Arguments: the folder of the package, the port.
'use strict';
const http = require('http');
const StompServer = require(process.argv[2]);

const server = http.createServer();
new StompServer({ server, path: '/stomp', heartbeat: [500, 500] });
server.listen(Number(process.argv[3]), '127.0.0.1');
