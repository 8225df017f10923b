import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { memoryFolder } from '../support/folder.ts'
import { testWith } from '../support/tiers.ts'

const AUDIT = join(import.meta.dirname, '../../.ci/audit')

/** Exit code and output of the audit, where npm prints `report` and ends with `code`. */
function audited(report: object, code: number): readonly [number | null, string] {
  const folder = memoryFolder('dormouse-audit-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${JSON.stringify(report)}'\nexit ${code}\n`)
  chmodSync(join(folder, 'npm'), 0o700)
  const { status, stdout } = spawnSync('bash', [AUDIT], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  return [status, stdout]
}

testWith('bash')(
  'a package with a known vulnerability of high severity fails the CI run, a registry that does not answer does not',
  () => {
    const found = { auditReportVersion: 2, vulnerabilities: { pg: { severity: 'high' } } }
    expect(audited(found, 1)).toEqual([1, expect.stringContaining('"pg"')])
    expect(audited({ auditReportVersion: 2, vulnerabilities: {} }, 0)).toEqual([0, ''])
    expect(audited({ error: { summary: '' } }, 1)).toEqual([0, 'npm audit: the registry did not answer\n'])
  },
)
