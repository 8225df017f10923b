// The four boards, as files that Grafana imports.
import { boardJson, type Board } from './board.ts'
import { ONE_COMPUTE } from './compute.ts'
import { DAEMON } from './daemon.ts'
import { FLEET } from './fleet.ts'
import { RIGHTSIZING } from './rightsizing.ts'

export const BOARDS: readonly Board[] = [FLEET, ONE_COMPUTE, RIGHTSIZING, DAEMON]

/** Relative to the top level. */
export const fileOf = ({ uid }: Board): string => `dashboards/${uid}.json`

export const boardText = (board: Board): string => `${JSON.stringify(boardJson(board), undefined, 2)}\n`
