import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { memoryFolder } from '../support/folder.ts'
import { billOfMaterials, productionPackages } from '../support/sbom.ts'
import { testWith } from '../support/tiers.ts'

const AUDIT = join(import.meta.dirname, '../../.ci/audit')

/** Exit code and output of the audit, where npm prints `report` and ends with `code`. */
function audited(report: object, code: number): readonly [number | null, string] {
  const folder = memoryFolder('dormouse-audit-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'npm'),
    `#!/bin/sh\ncase "$*" in *audit-level*) exit 0;; esac\necho '${JSON.stringify(report)}'\nexit ${code}\n`,
  )
  chmodSync(join(folder, 'npm'), 0o700)
  const { status, stdout } = spawnSync('bash', [AUDIT], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  return [status, stdout]
}

testWith('bash')(
  'a package with a known vulnerability fails the CI run, a registry that does not answer does not',
  () => {
    const found = { auditReportVersion: 2, vulnerabilities: { pg: { severity: 'low' } } }
    expect(audited(found, 1)).toEqual([1, expect.stringContaining('"pg"')])
    expect(audited({ auditReportVersion: 2, vulnerabilities: {} }, 0)).toEqual([0, ''])
    expect(audited({ error: { summary: '' } }, 1)).toEqual([0, 'npm audit: the registry did not answer\n'])
  },
)

type Component = Readonly<{ purl: string; hashes: readonly Readonly<{ alg: string }>[] }>

test('the bill of materials is CycloneDX and has each package of the daemon with its hash, and no other', () => {
  const bill = JSON.parse(billOfMaterials()) as Record<string, unknown> & { components: readonly Component[] }
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: expect.stringMatching(/^1\.\d$/),
    serialNumber: expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/),
    metadata: { component: { type: 'application', name: 'dormouse', version: '0.0.0' } },
  })
  const packages = productionPackages().map(
    ([path, { name = path.split('node_modules/').at(-1), version }]) => `pkg:npm/${name}@${version}`,
  )
  const listed = bill.components.map(({ purl }) => decodeURIComponent(purl))
  expect(listed.toSorted((a, b) => a.localeCompare(b))).toEqual(
    packages.toSorted((a, b) => a.localeCompare(b)),
  )
  expect(packages).toContain('pkg:npm/zod@4.6.7')
  expect(bill.components.filter(({ hashes }) => hashes[0]?.alg !== 'SHA-512')).toEqual([])
})
