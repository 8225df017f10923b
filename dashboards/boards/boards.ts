// The four boards and their files.
import { boardJson, type Board } from './board.ts'
import { COMPUTE_BOARD } from './compute.ts'
import { DAEMON_BOARD } from './daemon.ts'
import { FLEET_BOARD } from './fleet.ts'
import { RIGHTSIZING_BOARD } from './rightsizing.ts'

export const BOARDS: readonly Board[] = [FLEET_BOARD, COMPUTE_BOARD, RIGHTSIZING_BOARD, DAEMON_BOARD]

/** Relative to the root of the repository. */
export const boardFileOf = ({ uid }: Board): string => `dashboards/${uid}.json`

export const boardText = (board: Board): string => `${JSON.stringify(boardJson(board), undefined, 2)}\n`
