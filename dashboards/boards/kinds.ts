// Every other kind of panel but tables.
import {
  defaultsOf,
  headOf,
  INTERVAL,
  RATE_INTERVAL,
  targetsOf,
  type Mapping,
  type Panel,
  type PanelSpec,
} from './panel.ts'

export const statPanel = (shown: PanelSpec): Panel => ({
  width: shown.width,
  json: {
    type: 'stat',
    ...headOf(shown),
    fieldConfig: { defaults: defaultsOf(shown, { color: { mode: 'thresholds' } }), overrides: [] },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      justifyMode: 'auto',
      orientation: 'auto',
      percentChangeColorMode: 'standard',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showPercentChange: false,
      textMode: 'auto',
      wideLayout: true,
    },
    targets: targetsOf(shown, { instant: true }),
  },
})

/** One bar for each series, the longest first where the query sorts. */
export const barPanel = (shown: PanelSpec): Panel => ({
  width: shown.width,
  json: {
    type: 'bargauge',
    ...headOf(shown),
    fieldConfig: {
      defaults: defaultsOf(shown, {
        color: { mode: shown.bad || shown.good ? 'thresholds' : 'palette-classic' },
      }),
      overrides: [],
    },
    options: {
      displayMode: 'basic',
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: false },
      maxVizHeight: 30,
      minVizHeight: 16,
      minVizWidth: 8,
      namePlacement: 'auto',
      orientation: 'horizontal',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showUnfilled: true,
      sizing: 'auto',
      valueMode: 'color',
    },
    targets: targetsOf(shown, { instant: true }),
  },
})

/** A band for each series; its values are the keys of `mapping`. */
export const statePanel = (shown: PanelSpec & { readonly mapping: Mapping }): Panel => ({
  width: shown.width,
  json: {
    type: 'state-timeline',
    ...headOf(shown),
    fieldConfig: {
      defaults: defaultsOf(shown, {
        // by thresholds, values would be put together between these, and lose the words of the mapping
        color: { mode: 'fixed', fixedColor: 'text' },
        custom: {
          fillOpacity: 70,
          hideFrom: { legend: false, tooltip: false, viz: false },
          lineWidth: 0,
        },
        mappings: [{ type: 'value', options: shown.mapping }],
      }),
      overrides: [],
    },
    options: {
      alignValue: 'left',
      legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
      mergeValues: true,
      perPage: 20,
      rowHeight: 0.8,
      showValue: 'never',
      tooltip: { hideZeros: false, mode: 'single', sort: 'none' },
    },
    interval: INTERVAL,
    targets: targetsOf(shown),
  },
})

/** How often which duration: a query of buckets by `le`. */
export const heatmapPanel = (shown: PanelSpec): Panel => ({
  width: shown.width,
  json: {
    type: 'heatmap',
    ...headOf(shown),
    fieldConfig: {
      defaults: {
        unit: shown.unit,
        custom: {
          hideFrom: { legend: false, tooltip: false, viz: false },
          scaleDistribution: { type: 'linear' },
        },
      },
      overrides: [],
    },
    options: {
      calculate: false,
      cellGap: 1,
      cellValues: { unit: 'ops' },
      color: {
        exponent: 0.5,
        fill: 'dark-orange',
        mode: 'scheme',
        reverse: false,
        scale: 'exponential',
        scheme: 'Oranges',
        steps: 64,
      },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
      filterValues: { le: 1e-9 },
      legend: { show: true },
      rowsFrame: { layout: 'auto' },
      tooltip: { mode: 'single', showColorScale: false, yHistogram: false },
      yAxis: { axisPlacement: 'left', reverse: false, unit: shown.unit },
    },
    interval: RATE_INTERVAL,
    targets: targetsOf(shown, { format: 'heatmap' }),
  },
})

/** What fires now, of the rules that Grafana knows of. */
export const alertPanel = (title: string, description: string, width: number): Panel => ({
  width,
  json: {
    type: 'alertlist',
    title,
    description,
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      alertInstanceLabelFilter: '{alertname=~"Dormouse.+"}',
      alertName: '',
      dashboardAlerts: false,
      groupBy: [],
      groupMode: 'default',
      maxItems: 20,
      showInactiveAlerts: false,
      sortOrder: 3,
      stateFilter: {
        error: true,
        firing: true,
        noData: false,
        normal: false,
        pending: true,
        recovering: true,
      },
      viewMode: 'list',
    },
    targets: [],
  },
})
