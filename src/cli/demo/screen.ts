// What the demo shows while it runs: a live table on a terminal, a line per change elsewhere.
import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Io } from '../terminal/io.ts'
import { STATE_WORDS } from '../../outputs/text/explain.ts'
import { spanText } from '../../outputs/text/amounts.ts'
import { fleetTable } from '../terminal/fleet-table.ts'

/** `told`: a line for each thing that somebody was told of so far. */
export type Screen = { show(fleet: FleetJson, told: readonly string[]): void }

/** @param intro the lines above the table */
export const createScreen = (io: Io, intro: readonly string[]): Screen =>
  io.columns === undefined ? lines(io, intro) : live(io, { intro, columns: io.columns })

const CLEAR = '\u001B[H\u001B[J'
/** Lines under the table. Doubled, a terminal of 24 lines would scroll. */
const SHOWN = 6

function live(
  io: Io,
  { intro, columns }: { readonly intro: readonly string[]; readonly columns: number },
): Screen {
  return {
    show: (fleet, told) => {
      const news = told.length === 0 ? [] : ['', ...told.slice(-SHOWN)]
      const shown = [...intro, '', ...fleetTable(fleet).split('\n'), ...news]
      io.out(CLEAR + shown.map((line) => line.slice(0, columns)).join('\n'))
    },
  }
}

function lines(io: Io, intro: readonly string[]): Screen {
  let before: readonly ComputeJson[] = []
  let said = 0
  io.out(intro.join('\n'))
  return {
    show: (fleet, told) => {
      for (const compute of fleet.computes) {
        const last = before.find(({ endpoint_id }) => endpoint_id === compute.endpoint_id)
        if (last?.state !== compute.state) io.out(changeText(compute, fleet.taken_at))
      }
      before = fleet.computes
      for (const line of told.slice(said)) io.out(line)
      said = told.length
    },
  }
}

const changeText = (
  { project_name, project_id, state, awake_seconds }: ComputeJson,
  takenAt: string,
): string =>
  `${takenAt.slice(11, 19)} ${(project_name ?? project_id).padEnd(9)} ${STATE_WORDS[state].padEnd(8)} awake so far ${spanText(awake_seconds.likely * 1000)}`
