"""HLO's notation of shardings: tiles, device lists, named meshes; read, printed and converted to axes."""
