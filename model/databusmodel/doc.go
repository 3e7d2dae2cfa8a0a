// Package databusmodel is the machine of the cross-tab data bus: what the laws of spec/databus.yaml allow to happen between the tabs of
// one origin. It is a second reading of the laws, which shares no line with the reference.
//
// A [Cluster] holds up to three workers, two topics, one storage without locks in which every write is a read and a later flush, one FIFO
// of frames for each sender and receiver, the subscriptions that the server holds, and a clock in seconds that only moves when nothing
// else is due. Pages hide, show, freeze, crash and open; frames get lost; writes fail. [V010] is what the document says, [Drifted] what
// version 0.1.0 does where it departs from it, and [Fenced] the least that has to change so that no race is left for ever.
//
// Where a scope has late flushes, the flush of a task still comes before the next frame or timer of its tab (DATABUS-BATCH-001); what a
// process sees of another one's storage is never older than that, but in scopes with a lag, in which each tab has a view of its own and sees
// the writes of others one by one, in their order, whatever frames come before. Deliveries take no time, and time passes only when nothing is under way
// but to tabs that sleep. Two REGISTRY frames right behind each other are one, and a tab whose frame finds no room waits.
//
// What is not there: the status of the transport (each is connected), the cut of three candidates (there are never more than three
// workers), local mode, and the text of topics. DATABUS-OWNER-003: equal loads are resolved by the id of the worker, so tabs are not
// interchangeable, and no states are merged for symmetry.
package databusmodel
