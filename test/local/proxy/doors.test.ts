// The proxy before any compute is reached: what clients hear who cannot be served.
import { type Socket, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../../src/local/clock.ts'
import { createConnections } from '../../../src/local/proxy/connections.ts'
import { type Doors, openDoors } from '../../../src/local/proxy/doors.ts'
import { writeStartup } from '../../../src/local/proxy/startup.ts'
import { type Admission, createWaiting } from '../../../src/local/waiting.ts'

const VERSION = 196_608

async function doorsTo(admit: (endpointId: string) => Promise<Admission>): Promise<Doors> {
  const session = {
    admit,
    connections: createConnections(),
    cancel: () => undefined,
    clock: createClock(),
  }
  const doors = await openDoors({
    session,
    port: 0,
    rememberedPort: () => undefined,
    remember: () => undefined,
  })
  if (!doors) throw new Error('no free port')
  onTestFinished(() => doors.close())
  return doors
}

/** What the server says until it hangs up. */
function heard(port: number, ...sent: readonly Buffer[]): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1', () => {
    for (const bytes of sent) socket.write(bytes)
  })
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => void chunks.push(chunk))
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

const startup = (options: string): Buffer =>
  writeStartup(
    VERSION,
    new Map([
      ['user', 'me'],
      ['options', options],
    ]),
  )
const refusing = (): Promise<Admission> =>
  Promise.resolve({ ok: false, code: '57P03', message: 'asleep for good' })

test.each([
  ['garbage', [Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')], /C08P01.*invalid length/],
  ['protocol 2', [Buffer.from([0, 0, 0, 8, 0, 2, 0, 0])], /C08P01.*unsupported frontend protocol 2/],
  ['no endpoint', [startup('')], /C08004.*no endpoint named/],
  ['a refused endpoint', [startup('endpoint=ep-a')], /C57P03.*asleep for good/],
  [
    'a request for TLS first',
    [Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]), startup('endpoint=ep-a')],
    /^NE.*asleep for good/s,
  ],
  [
    'a packet in two parts',
    [startup('endpoint=ep-a').subarray(0, 9), startup('endpoint=ep-a').subarray(9)],
    /asleep/,
  ],
])('a client that sends %s is told and let go', async (_, sent, answer) => {
  const doors = await doorsTo(refusing)
  expect((await heard(doors.port, ...sent)).replaceAll('\0', ' ')).toMatch(answer)
})

test('a compute whose server is gone refuses, and its own port needs no option', async () => {
  const doors = await doorsTo((endpointId) =>
    Promise.resolve({ ok: true, port: endpointId === 'ep-a' ? 1 : 2 }),
  )
  await doors.sync('project', ['ep-a'])
  expect(await heard(doors.portOf('ep-a') ?? 0, startup(''))).toContain('C57P03')
  await doors.sync('project', [])
  expect(doors.portOf('ep-a')).toBeUndefined()
})

test('more clients than may wait, and clients that wait too long, are refused', async () => {
  const clock = createClock()
  const waiting = createWaiting(clock, { patience: 1, perCompute: 2 })
  const admissions = await Promise.all(
    ['ep-a', 'ep-a', 'ep-a', 'ep-b'].map((endpointId) => waiting.join(endpointId)),
  )
  expect(admissions.map((admission) => admission.ok || admission.code)).toEqual([
    '57P03',
    '57P03',
    '53300',
    '57P03',
  ])
})
