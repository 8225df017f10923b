// A process of its own: the pages of a fleet, and beside them one that is empty, from the same server.
import { Hono } from 'hono'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { KEPT } from '../../outputs/page/kept-reports.ts'
import { pastOf } from '../../outputs/page/past.ts'
import { appOf, fleet } from '../../outputs/page/shown.ts'

const snapshot = fleet(Number(process.argv[2]))
const app = new Hono()
app.get('/empty', (context) => context.html('<!doctype html><title>Empty</title><p>Empty</p>'))
app.route('/', appOf({ snapshot, history: pastOf(snapshot), kept: KEPT }))
const listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
process.once('disconnect', () => void listener[Symbol.asyncDispose]())
process.send?.(urlOf(listener.address))
