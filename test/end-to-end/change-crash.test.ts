// A daemon that is killed −9 again and again while changes are open. The truth of the service tells how often each was made.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/local/random.ts'
import type { SimulatedOptions } from '../support/simulated-service.ts'
import { bySize } from '../support/tiers.ts'
import { ask, changesAt, simulatedSetting } from './change-support.ts'
import { dormouse, fleetAt, until } from './support.ts'

const COMPUTES = bySize(20, 3)
const KILLS = bySize(30, 5)
/** Longest life of a daemon that sends nothing, ms from its first pass on. */
const LONGEST_LIFE = 2500
/** A daemon is killed at most so long after its first request, ms. */
const AFTER_REQUEST = 400
/** Share of the first requests of a daemon that land late: up to `LATEST` ms after the first pass of the next one, often after its first look. */
const LATE = 0.7
const LATEST = 1500
/** Seconds from the opening of the store by a daemon: longer than its first pass takes, and `LATEST`. */
const SETTLE = 10

const names = Array.from({ length: COMPUTES }, (_, number) => `number-${number}`)

const pause = (length: number) => once(AbortSignal.timeout(Math.round(length)), 'abort')

/** A client of each compute asks every second, as long as `isUsed`. */
function serviceWith(isUsed: (number: number) => boolean): SimulatedOptions {
  const begin = Date.now()
  function* activity(number: number) {
    for (let at = begin; isUsed(number); at += 1000) yield at
  }
  return {
    projects: names.map((name, number) => ({
      name,
      cu: 1,
      suspendTimeoutSeconds: 2,
      activity: activity(number),
    })),
    behaviour: {
      lastActiveLag: 0,
      delayBelowMinimum: 'accepted',
      wakeLatency: { min: 0, max: 0 },
      patchEqualRestarts: true,
    },
  }
}

/** Something that happens once. */
function happening() {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let hasHappened = false
  return {
    done,
    isSet: () => hasHappened,
    set: () => {
      hasHappened = true
      resolve()
    },
  }
}

/** Of a daemon: whether it has sent a request, and whether the next one has made its first pass. */
const newLife = () => ({ requested: happening(), next: happening() })

test(
  'each change is made once, and ends, however often the daemon is killed',
  { timeout: 900_000 },
  async () => {
    const random = createRandom(Number(process.env['PROPERTY_SEED'] ?? 7))
    let [kills, life] = [0, newLife()]
    const beforeRequest = () => {
      const { next, requested } = life
      const isFirst = !requested.isSet()
      requested.set()
      const late = LATEST * random.uniform()
      return isFirst && random.uniform() < LATE ? next.done.then(() => pause(late)) : undefined
    }
    // computes fall asleep one after the other, the last one after the last kill, so that changes are open until then
    const isUsed = (number: number) => number + 1 > (COMPUTES * kills) / KILLS
    await using world = await simulatedSetting(serviceWith(isUsed), { beforeRequest, settle: SETTLE })
    const { proxy, service, apiUrl, configFile } = world
    const start = async () => {
      const daemon = dormouse(['run', '--config', configFile])
      await until(
        'a first pass',
        async () => (await fleetAt(apiUrl))?.computes.length === COMPUTES || undefined,
      )
      life.next.set()
      life = newLife()
      return daemon
    }

    const asked: string[] = []
    for (; kills < KILLS; kills += 1) {
      await using daemon = await start()
      if (kills === 0) for (const compute of names) asked.push((await ask(apiUrl, { compute, max_cu: 2 })).id)
      await Promise.race([pause(LONGEST_LIFE * random.uniform()), life.requested.done])
      await pause(AFTER_REQUEST * random.uniform())
      daemon.child.kill('SIGKILL')
      expect(await daemon.ended).toBe('SIGKILL')
    }

    expect(proxy.changes.length).toBeLessThan(COMPUTES)
    await using _ = await start()
    life.requested.set()
    const changes = await until('the end of all changes', async () => {
      const all = await changesAt(apiUrl)
      return all?.every(({ ended }) => ended !== null) ? all : undefined
    })
    expect(changes.map(({ id }) => id).toSorted()).toEqual(asked.toSorted())
    expect(changes.filter(({ ended }) => ended?.because !== 'verified')).toEqual([])
    const { computes } = service.truth()
    expect(computes).toHaveLength(COMPUTES)
    const fields = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 }
    for (const { mutations } of computes) expect(mutations).toMatchObject([{ action: 'update', fields }])
  },
)
