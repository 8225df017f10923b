import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import { seconds } from '../../../src/model/units.ts'
import { localCli } from '../local-cli.ts'
import { longTest } from '../../support/tiers.ts'

const clock = createClock()
const running = new AbortController().signal

let service: Awaited<ReturnType<typeof localCli>>
let shop = ''
let compute = ''

beforeAll(async () => {
  service = await localCli({ projects: [{ name: 'shop', suspendTimeoutSeconds: -1 }] })
  const { computes } = JSON.parse((await service.cli('computes list --json')).out)
  shop = computes[0].project_id
  compute = computes[0].endpoint_id
})
afterAll(() => service[Symbol.asyncDispose]())

/** The compute, once nothing is under way: the service refuses a change while another runs. */
async function settled(): Promise<Record<string, unknown>> {
  for (;;) {
    const { out } = await service.cli(`computes get ${shop} ${compute} --json`)
    const record = JSON.parse(out)
    if (record.pending_state === null && record.state !== 'init') return record
    await clock.sleep(seconds(0.02), running)
  }
}

const columns = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))

describe('computes', () => {
  test('list prints every compute, of one project or of all', async () => {
    await settled()
    const all = await service.cli('computes list')
    expect(all).toMatchObject({ code: 0, err: '' })
    expect(columns(all.out)[0]).toEqual([
      'PROJECT',
      'COMPUTE',
      'TYPE',
      'STATE',
      'SIZE',
      'DELAY',
      'LAST ACTIVE',
    ])
    expect(columns(all.out)[1]?.slice(0, 6)).toEqual([
      shop,
      compute,
      'read_write',
      'active',
      '0.25 CU',
      'never',
    ])
    expect((await service.cli(`computes list ${shop}`)).out).toBe(all.out)
    expect(await service.cli('computes list none')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/not there/),
    })
  })

  test('get prints one', async () => {
    const { code, out } = await service.cli(`computes get ${shop} ${compute}`)
    expect(code).toBe(0)
    expect(columns(out)).toContainEqual(['compute', compute])
    expect(await settled()).toMatchObject({
      endpoint_id: compute,
      min_cu: 0.25,
      autosuspend_delay_seconds: 'never',
    })
    expect(await service.cli(`computes get ${shop} ep-none`)).toMatchObject({ code: 1 })
  })

  test('update of a delay shows before and after, and that connections stay', async () => {
    await settled()
    const { code, out } = await service.cli(`computes update ${shop} ${compute} --delay 10m`)
    expect(code).toBe(0)
    expect(columns(out)).toEqual([
      ['compute', compute],
      ['delay', 'never -> 10m'],
      ['restart', 'no, connections stay'],
    ])
    expect(await settled()).toMatchObject({ autosuspend_delay_seconds: 600 })
    expect((await service.cli(`computes update ${shop} ${compute} --delay default`)).out).toContain(
      '10m -> default',
    )
    expect(await settled()).toMatchObject({ autosuspend_delay_seconds: null })
  })

  test('update of a size says that it interrupts', async () => {
    await settled()
    const { code, out } = await service.cli(`computes update ${shop} ${compute} --cu 0.5 --delay never`)
    expect(code).toBe(0)
    expect(columns(out)).toEqual([
      ['compute', compute],
      ['size', '0.25 CU -> 0.5 CU'],
      ['delay', 'default -> never'],
      ['restart', 'yes, its connections are interrupted'],
    ])
    expect(await settled()).toMatchObject({ min_cu: 0.5, max_cu: 0.5 })
  })

  test('update of what is so already sends nothing', async () => {
    const { updated_at: before } = await settled()
    expect(await service.cli(`computes update ${shop} ${compute} --cu 0.5`)).toEqual({
      code: 0,
      out: 'nothing to change: the compute has these settings already\n',
      err: '',
    })
    expect((await settled())['updated_at']).toBe(before)
  })

  test('update prints JSON', async () => {
    await settled()
    const { code, out } = await service.cli(`computes update ${shop} ${compute} --cu 1 --json`)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      before: { max_cu: 0.5 },
      after: { max_cu: 1, operations: [{ action: 'apply_config' }, { action: 'suspend_compute' }] },
      restarts: true,
    })
  })

  test.each([
    ['', 2, /nothing to change: give a size or --delay/],
    ['--min-cu 1', 2, /--min-cu and --max-cu go together/],
    ['--cu 0.3', 1, /refused \(400\)/],
  ])('update with %j ends with %s', async (options, code, err) => {
    await settled()
    const ended = await service.cli(`computes update ${shop} ${compute} ${options}`.trim())
    expect(ended).toMatchObject({ code, err: expect.stringMatching(err) })
  })

  longTest('restart restarts', async () => {
    await settled()
    expect(await service.cli(`computes restart ${shop} ${compute}`)).toEqual({
      code: 0,
      out: `${compute} restarts\n`,
      err: '',
    })
    await settled()
    const { code, out } = await service.cli(`computes restart ${shop} ${compute} --json`)
    expect(code).toBe(0)
    const { restarting, operations } = JSON.parse(out)
    expect(restarting).toBe(compute)
    expect(operations.map(({ action }: { action: string }) => action)).toContain('start_compute')
  })

  longTest('delete asks first, and create makes another', async () => {
    const { branch_id: branch } = await settled()
    expect(await service.cli(`computes delete ${shop} ${compute}`)).toEqual({
      code: 2,
      out: '',
      err: `dormouse: ${compute} would be deleted for good; confirm it with --yes\n`,
    })
    expect(await service.cli(`computes delete ${shop} ${compute} --yes`)).toMatchObject({
      code: 0,
      out: `${compute} is deleted\n`,
    })
    expect(JSON.parse((await service.cli('computes list --json')).out)).toEqual({
      computes: [],
      problems: [],
    })

    const made = await service.cli(
      `computes create ${shop} --branch ${String(branch)} --cu 0.5 --delay 5m --json`,
    )
    expect(made.code).toBe(0)
    expect(JSON.parse(made.out)).toMatchObject({
      state: 'init',
      max_cu: 0.5,
      autosuspend_delay_seconds: 300,
      operations: [{ action: 'start_compute', status: 'running' }],
    })
    const again = await service.cli(`computes create ${shop} --branch ${String(branch)}`)
    expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/409|423/) })
  })
})
