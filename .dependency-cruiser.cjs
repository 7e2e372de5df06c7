// What a look at one file cannot tell. The layer table itself is test/architecture/layers.ts.

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "nothing-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-development-package",
      severity: "error",
      from: { pathNot: "\\.(test|contract)\\.ts$" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Also imports that only carry types: two files that need each other's types are one idea.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts"], exportsFields: ["exports"], conditionNames: ["import", "node"] },
  },
};
