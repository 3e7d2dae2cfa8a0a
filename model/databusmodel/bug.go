package databusmodel

// A bug is a fault that a test seeds into the machine, to show that a law can be broken.
type bug uint8

const (
	_                  bug = iota
	bugEarlyDeath          // a worker is dead after one heartbeat
	bugNoDeath             // no worker is ever dead
	bugOrphansStay         // subscriber records of the dead stay
	bugRoutesStay          // routes without subscribers stay
	bugLoadWrong           // the record says another load than there is
	bugLoadStale           // the load does not follow the assignments
	bugGenerationZero      // an election does not raise the generation
	bugNoConfirm           // an owner does not confirm
	bugTransportStays      // a release leaves the transport subscribed
	bugIntentStays         // unsubscribe does not take back what is wanted
	bugRecordStays         // a reconcile does not write what is wanted
	bugNoTakeover          // a reconcile takes no route over
	bugNoRetry             // a reconcile does not ask again
	bugKeepsForeign        // a reconcile keeps an assignment whose route names another
	bugNoGate              // a publication passes without an assignment
	bugEcho                // an owner hears itself
	bugDispatchesAll       // an event is dispatched where nobody wants it
	bugLateUnsubscribe     // a page that hides leaves the transport subscribed
	bugDeaf                // REGISTRY is not obeyed
	bugNoHeartbeat         // the heartbeat does not refresh the record
	bugCount
)
