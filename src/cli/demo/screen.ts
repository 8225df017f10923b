// What the demo shows while it runs: a live table on a terminal, a line per change elsewhere.
import type { ComputeStatus, Fleet } from '../../daemon/status.ts'
import type { Io } from '../io.ts'
import { fleetTable, lengthText } from '../fleet-table.ts'

export type Screen = { show(fleet: Fleet): void }

/** @param intro the lines above the table */
export const createScreen = (io: Io, intro: readonly string[]): Screen =>
  io.columns === undefined ? lines(io, intro) : live(io, { intro, columns: io.columns })

const CLEAR = '\u001B[H\u001B[J'

function live(
  io: Io,
  { intro, columns }: { readonly intro: readonly string[]; readonly columns: number },
): Screen {
  return {
    show: (fleet) => {
      const shown = [...intro, '', ...fleetTable(fleet).split('\n')].map((line) => line.slice(0, columns))
      io.out(CLEAR + shown.join('\n'))
    },
  }
}

function lines(io: Io, intro: readonly string[]): Screen {
  let before: readonly ComputeStatus[] = []
  io.out(intro.join('\n'))
  return {
    show: (fleet) => {
      for (const compute of fleet.computes) {
        const last = before.find(({ endpoint_id }) => endpoint_id === compute.endpoint_id)
        if (last?.state !== compute.state) io.out(changeText(compute, fleet.taken_at))
      }
      before = fleet.computes
    },
  }
}

const changeText = (
  { project_name, project_id, state, awake_seconds }: ComputeStatus,
  takenAt: string,
): string =>
  `${takenAt.slice(11, 19)} ${(project_name ?? project_id).padEnd(8)} ${state.padEnd(7)} awake so far ${lengthText(awake_seconds.likely)}`
