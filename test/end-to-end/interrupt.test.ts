import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dormouse, until } from './support.ts'

test('without --json a demo that is interrupted still says what it came to, and removes its folder', async () => {
  await using demo = dormouse(['demo'])
  const asleep = await until('a sleeping compute', () => /unused +idle/.exec(demo.out())?.[0])
  expect(asleep).toContain('idle')
  const configuration = /configuration (\S+)/.exec(demo.out())?.[1] ?? ''
  expect(existsSync(configuration)).toBe(true)
  demo.child.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(demo.out()).toMatch(/wakes? and \d+ suspensions? of real Postgres processes/)
  expect(existsSync(configuration)).toBe(false)
})
