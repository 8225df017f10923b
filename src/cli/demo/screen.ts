// A live table on a terminal, a line per change elsewhere.
import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Io } from '../terminal/io.ts'
import { STATE_WORDS } from '../../outputs/text/explain.ts'
import { spanText } from '../../outputs/text/amounts.ts'
import { fleetTable } from '../terminal/fleet-table.ts'

/** `notifications`: a line each. */
export type Screen = { show(fleet: FleetJson, notifications: readonly string[]): void }

export const createScreen = (io: Io, intro: readonly string[]): Screen =>
  io.columns === undefined ? lines(io, intro) : live(io, { intro, columns: io.columns })

/** With them the screen fits a terminal of 24 lines. */
const MAX_NOTIFICATIONS = 6

function live(io: Io, { intro, columns }: Readonly<{ intro: readonly string[]; columns: number }>): Screen {
  return {
    show: (fleet, notifications) => {
      const latest = notifications.length === 0 ? [] : ['', ...notifications.slice(-MAX_NOTIFICATIONS)]
      const screen = [...intro, '', ...fleetTable(fleet).split('\n'), ...latest]
      io.clear?.()
      io.out(screen.map((line) => line.slice(0, columns)).join('\n'))
    },
  }
}

function lines(io: Io, intro: readonly string[]): Screen {
  let before: readonly ComputeJson[] = []
  let printed = 0
  io.out(intro.join('\n'))
  return {
    show: (fleet, notifications) => {
      for (const compute of fleet.computes) {
        const last = before.find(({ endpoint_id }) => endpoint_id === compute.endpoint_id)
        // computes that sleep at first sight are not news
        if (compute.state !== (last?.state ?? 'idle')) io.out(changeText(compute, fleet.taken_at))
      }
      before = fleet.computes
      for (const line of notifications.slice(printed)) io.out(line)
      printed = notifications.length
    },
  }
}

const changeText = ({ project_name, project_id, state, awake_seconds }: ComputeJson, takenAt: string) =>
  `${takenAt.slice(11, 19)} ${(project_name ?? project_id).padEnd(9)} ${STATE_WORDS[state].padEnd(8)} awake so far ${spanText(awake_seconds.likely * 1000)}`
