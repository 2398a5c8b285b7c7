"""How XLA carries Shardy's shardings through HLO, and HLO's own shardings from and to `sdy`."""
