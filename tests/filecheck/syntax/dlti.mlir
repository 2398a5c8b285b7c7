// RUN: xshardy-opt %s --split-input-file | filecheck %s

// CHECK: module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i32>>} {
}

// -----

// CHECK: module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32, i1 = 8 : i32>} {
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32, i1 = 8 : i32>} {
}
