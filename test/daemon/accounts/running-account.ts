// Account runners over a simulated service, one process after the other over one store on disk.
import { rmSync } from 'node:fs'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createAccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { load } from '../../config/loading.ts'
import { START } from '../../local/control/build.ts'
import { seeded } from '../../simulation/seeded.ts'
import { createWorld } from '../../simulation/world.ts'
import { bodyText, FACTS, partsOf } from '../../support/exposed.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryFolder } from '../../support/folder.ts'
import { noRedactor } from '../../support/secrets.ts'

const DAY = 86_400_000

type AccountOptions = Readonly<{
  uses: Parameters<typeof createWorld>[0]
  config: string
  /** Days that have passed when the first process starts. */
  past: number
  /** In place of answers of the service. */
  answers?: Partial<Service>
}>

export function openAccount({ uses, config: text, past, answers = {} }: AccountOptions) {
  const config = load(text)
  if (!config.ok) throw new Error(config.error.join('\n'))
  const folder = memoryFolder('dormouse-account-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const random = seeded(1)
  const clock = fakeClock(new Date(START + past * DAY).toISOString())
  const world = createWorld(uses, { clock, random })
  const signal = new AbortController().signal
  return {
    clock,
    /** Starts a process. */
    open: async () => {
      world.forget()
      const store = openEmbeddedStore(folder, clock)
      const machine = { clock, random, store, self: createSelfMetrics(), log: pino({ level: 'silent' }) }
      const ports = {
        ...machine,
        store: store.account('main'),
        epoch: store.epoch,
        history: store,
        serviceTime: world.time,
        get service() {
          return { ...world.service, ...answers }
        },
        readings: world.readings,
        redact: noRedactor.redact,
        send: () => Promise.resolve([]),
      }
      let published: Snapshot | undefined
      const runners = await createAccountRunners(() => config.value, machine, {
        portsOf: () => ports,
        publish: async (snapshot) => {
          published = snapshot
        },
      })
      /** A turn, and what runs beside it. Returns the seconds until the next turn where that is not to wait for its tick. */
      const turn = async () => {
        const turned = runners.of('main').runPasses(signal)
        // before the clock moves on
        const nextIn = turned.then(({ nextLook }) => nextLook && (nextLook - clock.now()) / 1000)
        await whileClockMoves(turned, clock)
        await whileClockMoves(runners.idle(), clock)
        return await nextIn
      }
      return {
        store,
        turn,
        snapshot: () => runners.snapshot(),
        runnerOf: (account: string) => runners.of(account).changes,
        /** A turn, and one that shows what ran beside it. */
        pass: async () => {
          await turn()
          await turn()
        },
        /** Value of each series of a family by its labels. */
        exposed: (name: string) => exposed(published, name),
      }
    },
  }
}

async function whileClockMoves(work: Promise<unknown>, clock: { advance(by: Seconds): Promise<void> }) {
  const over = work.then(() => true)
  for (let tries = 0; tries < 2000; tries += 1)
    // oxlint-disable-next-line no-await-in-loop -- until it is over
    if (await Promise.race([over, clock.advance(seconds(1)).then(() => false)])) return
  throw new Error('it does not end')
}

function exposed(snapshot: Snapshot | undefined, name: string): Readonly<Record<string, number>> {
  if (!snapshot) throw new Error('nothing was published')
  const lines = bodyText(partsOf(snapshot, FACTS)).split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, labels = '', value] = new RegExp(String.raw`^${name}\{(.*)\} (.*)$`).exec(line) ?? []
      return value === undefined ? [] : [[labels, Number(value)]]
    }),
  )
}
